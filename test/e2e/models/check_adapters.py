#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads adapters that accel-run exported with PEFT: check_adapters.py MODEL FOLDER

FOLDER holds what `accel-run --export FOLDER/adapter_model.safetensors` wrote behind the
steps of the golden `adapters` of MODEL (gpt2, llama20).  The loss of the next step must
be the golden's, with the adapters beside the weights and merged into them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from exporting import HERE
from golden_models import MODELS
from peft import PeftModel
from torch import nn
from training import mean_loss

TOLERANCE = 5e-6


def check(what: str, network: nn.Module, batch, expected: float) -> bool:
    with torch.no_grad():
        loss = mean_loss(network, *batch).item()
    apart = abs(loss - expected)
    print(f"{what}: loss {loss:.7f}, {apart:.1e} from the golden's")
    return apart <= TOLERANCE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=["gpt2", "llama20"])
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = MODELS[arguments.model]
    golden = json.loads((HERE / arguments.model / "golden-adapters.json").read_text())
    data = model.sources["default"][0](HERE / arguments.model)
    batch = data.batch(golden["steps"], golden["global_batch"])
    adapted = PeftModel.from_pretrained(model.build(), arguments.folder)
    good = check("beside", adapted, batch, golden["next_loss"])
    good &= check("merged", adapted.merge_and_unload(), batch, golden["next_loss"])
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
