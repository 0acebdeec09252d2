# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PEFT's adapters beside a model's weights, and the folder that PEFT writes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

FOLDER = "adapters"


def adapt(
    folder: Path, targets: str | list[str], rank: int, alpha: float, seed: int
) -> Callable[[nn.Module], object]:
    """Adds pairs of which B is not zero, so that A has a gradient at once, and saves them."""
    from peft import LoraConfig, get_peft_model

    def add(network: nn.Module) -> None:
        torch.manual_seed(seed)
        config = LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets)
        adapted = get_peft_model(network, config)
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                if ".lora_B." in name:
                    nn.init.normal_(parameter, std=0.05)
        adapted.save_pretrained(folder / FOLDER)
        _make_committable(folder / FOLDER)

    return add


def _make_committable(folder: Path) -> None:
    """PEFT's list of modules is a set, whose order changes from run to run."""
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text())
    config["target_modules"] = sorted(config["target_modules"])
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    (folder / "adapter_model.safetensors").chmod(0o644)
    # A card for the hub, which nothing here reads.
    (folder / "README.md").unlink(missing_ok=True)


def plan_name(name: str) -> str:
    """What accelc calls a parameter that PEFT has wrapped."""
    return name.replace(".base_layer.", ".").replace(".default.", ".")
