#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes NAME/evaluation.json: the mean losses that PyTorch's eval() gives models,
most of which are exported with dropout, over the first samples of their data.

Weights are those of the exports.  Losses are of float32, and their mean is taken
in double.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import architectures
import datasets
import torch
import torch.nn.functional as F
from exporting import HERE
from safetensors.torch import load_file
from torch import nn
from training import IGNORED, Data

SAMPLES = (1, 7, 37)  # and all


@dataclass(frozen=True)
class Evaluated:
    build: Callable[[], nn.Module]
    weights: str  # the golden with the same
    load: Callable[[Path], Data]
    files: dict[str, str]  # of --eval-data


MODELS = {
    "mlp-dropout": Evaluated(
        lambda: architectures.mlp(dropout=0.1),
        "mlp",
        lambda folder: datasets.load_arrays(
            folder / "mlp/x.npy", folder / "mlp/labels.npy"
        ),
        {"x": "mlp/x.npy", "labels": "mlp/labels.npy"},
    ),
    # Without dropout; for fp8.
    "mlp16": Evaluated(
        architectures.mlp16,
        "mlp16",
        lambda folder: datasets.load_arrays(
            folder / "mlp16/x.npy", folder / "mlp16/labels.npy"
        ),
        {"x": "mlp16/x.npy", "labels": "mlp16/labels.npy"},
    ),
    # With the running statistics.
    "batch-norm": Evaluated(
        architectures.batch_norm,
        "batch-norm",
        lambda folder: datasets.load_arrays(
            folder / "batch-norm/x.npy", folder / "batch-norm/labels.npy"
        ),
        {"x": "batch-norm/x.npy", "labels": "batch-norm/labels.npy"},
    ),
    "gpt2-dropout": Evaluated(
        lambda: architectures.gpt2(dropout=0.1),
        "gpt2",
        lambda folder: datasets.load_tokens(folder / "gpt2/data.bin", 32),
        {"": "gpt2/data.bin"},
    ),
    # Rows have unequal numbers of targets.
    "gpt2-loss": Evaluated(
        lambda: architectures.gpt2(dropout=0.1, kind=architectures.Gpt2WithLoss),
        "gpt2",
        lambda folder: datasets.load_padded(folder / "gpt2-loss"),
        {
            "input_ids": "gpt2-loss/padded_ids.npy",
            "attention_mask": "gpt2-loss/padding.npy",
            "labels": "gpt2-loss/padded_labels.npy",
        },
    ),
}


def check_weights(model: nn.Module, name: str) -> None:
    """Names differ between exports; the numbers are those of the golden."""
    expected = load_file(HERE / name / "initial.safetensors").values()
    for parameter in model.parameters():
        rows = [e for e in expected if e.shape[1:] == parameter.shape[1:]]
        if not any(torch.equal(parameter[: len(e)], e) for e in rows):
            raise SystemExit(f"{name}: other weights than those of the golden")


def losses_of(model: nn.Module, data: Data) -> torch.Tensor:
    """Of every target of every sample, 0 where there is none."""
    others = {n: torch.from_numpy(a) for n, a in data.others.items()}
    inputs = torch.from_numpy(data.inputs)
    targets = torch.from_numpy(data.targets)
    if "attention_mask" in others:  # shifts labels itself
        others["labels"] = inputs
    output = model(inputs, **others)
    logits = output[1] if isinstance(output, tuple) else output
    logits = getattr(logits, "logits", logits)
    losses = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]),
        targets.reshape(-1),
        ignore_index=IGNORED,
        reduction="none",
    )
    return losses.reshape(len(inputs), -1)


def evaluate(name: str, evaluated: Evaluated) -> None:
    model = evaluated.build().eval()
    check_weights(model, evaluated.weights)
    data = evaluated.load(HERE)
    with torch.no_grad():
        losses = losses_of(model, data).double()
    valid = torch.from_numpy(data.targets).reshape(losses.shape) != IGNORED
    results = []
    for count in (*SAMPLES, len(losses)):
        targets = int(valid[:count].sum())
        mean = losses[:count].sum().item() / targets
        results.append({"samples": count, "targets": targets, "loss": mean})
    golden = {
        "data": evaluated.files,
        "evaluations": results,
    }
    path = HERE / name / "evaluation.json"
    path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
    print(path.relative_to(HERE), results)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, evaluated in MODELS.items():
        evaluate(name, evaluated)
