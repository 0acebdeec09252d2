#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares step 1 of many families of models (families.py) with PyTorch's.

    python check_families.py WORK_DIR                    # all, the default exporter
    python check_families.py WORK_DIR gpt2 'vit|deit'    # those whose names match
    python check_families.py WORK_DIR --exporter=unoptimized

PyTorch exports the loss of each, accelc compiles it, accel-run takes a step; the
loss and the gradient of every parameter are compared with autograd's in double.
"gradient" is the worst relative error, "pytorch" that of PyTorch in float32.
One line of JSON a family is added to WORK_DIR/EXPORTER.jsonl.  Needs accelc and
accel-run in PATH, and timm==1.0.31 besides requirements.txt.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

from families import BATCH, FAMILIES, Family

LOSS_BOUND, GRADIENT_BOUND = 1e-5, 1e-4  # relative
# Norms over a few elements magnify the rounding of float32, PyTorch's as well.
TIMES_PYTORCH = 3
# What is nothing but rounding, such as a key's bias, is measured by this part of
# the norm of all gradients.
SMALLEST_SHARE = 1e-3


class StageError(Exception):
    """Which program did not do its part, and what it said."""

    def __init__(self, stage: str, why: str):
        super().__init__(why)
        self.stage = stage


def export(module: nn.Module, inputs: dict, path: Path, exporter: str) -> None:
    names = list(inputs)
    options = {"kwargs": inputs, "input_names": names, "output_names": ["loss"]}
    if exporter == "torchscript":
        options |= {
            "dynamo": False,
            "opset_version": 17,
            "do_constant_folding": False,
            "training": torch.onnx.TrainingMode.TRAINING,
            "dynamic_axes": {name: {0: "batch"} for name in names},
        }
    else:
        batch = torch.export.Dim("batch")
        options |= {
            "dynamo": True,
            "optimize": exporter == "dynamo",
            "dynamic_shapes": {name: {0: batch} for name in names},
            "verbose": False,
        }
    try:
        torch.onnx.export(module, (), path, **options)
    except Exception as error:  # the exporter raises what it likes
        raise StageError("export", str(error).strip().splitlines()[0]) from error


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines()
        first = [i for i, line in enumerate(lines) if line.startswith("error")]
        said = lines[first[0] :][:3] if first else lines[-3:]
        raise StageError(command[0], "; ".join(said))


def train(inputs: dict, folder: Path) -> tuple[float, dict[str, torch.Tensor]]:
    """The loss and the gradients of the step that accel-run takes."""
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value.numpy())
    sizes = [f"--dim=batch={BATCH}", f"--global-batch={BATCH}"]
    run(["accelc", "model.onnx", "-o", "plan", *sizes, "--optimizer=sgd"], folder)
    data = [f"--data={name}={name}.npy" for name in inputs]
    results = ["--run-dir=run", "--dump-gradients=gradients.safetensors"]
    run(["accel-run", "plan", *data, "--steps=1", *results, "--quiet"], folder)
    (line,) = (folder / "run/metrics.jsonl").read_text().splitlines()
    return json.loads(line)["loss"], load_file(folder / "gradients.safetensors")


def differentiate(module: nn.Module, inputs: dict, dtype: torch.dtype) -> float:
    """The loss; the gradients are the module's."""
    module.to(dtype)
    floats = {
        name: value.to(dtype) if value.is_floating_point() else value
        for name, value in inputs.items()
    }
    loss = module(**floats)
    loss.backward()
    return loss.item()


def compare(module: nn.Module, gradients: dict[str, torch.Tensor]) -> dict:
    """The worst gradient, and the parameters that have none of their shape."""
    names: dict[int, list[str]] = {}  # a tied parameter has several
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    theirs = {
        name: parameter
        for name, parameter in module.named_parameters()
        if parameter.grad is not None
    }
    whole = torch.cat([p.grad.flatten() for p in theirs.values()]).norm().item()
    worst, missing = (0.0, ""), []
    for name, parameter in theirs.items():
        b = parameter.grad
        known = [gradients[n] for n in names[id(parameter)] if n in gradients]
        if known and known[0].numel() < b.numel():
            # Of a table of positions the file has the rows of this length.
            first = int((b.abs().sum(1) > 0).nonzero()[0])
            b = b[first : first + known[0].numel() // b.shape[1]]
        if not known and b.norm().item() <= 1e-7 * whole:
            continue  # nothing depends on it
        if not known or known[0].numel() != b.numel():
            missing.append(name)
            continue
        error = (known[0].double().reshape(b.shape) - b).norm().item()
        share = error / max(b.norm().item(), SMALLEST_SHARE * whole)
        worst = max(worst, (share, name))
    return {"gradient": worst[0], "of": worst[1], "missing": missing}


def check(family: Family, folder: Path, exporter: str) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch.manual_seed(5)
    module = family.build().train()
    with torch.no_grad():  # so that no two parameters are equal
        for parameter in module.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape))
    inputs = family.inputs()
    export(copy.deepcopy(module), inputs, folder / "model.onnx", exporter)
    ours, gradients = train(inputs, folder)
    single = copy.deepcopy(module)
    rounded = differentiate(single, inputs, torch.float32)
    reference = differentiate(module, inputs, torch.float64)
    result = compare(module, gradients)
    parameters = single.named_parameters()
    given = {n: p.grad for n, p in parameters if p.grad is not None}
    result["pytorch"] = compare(module, given)["gradient"]
    unit = max(1.0, abs(reference))
    loss = abs(ours - reference) / unit
    loss_bound = max(LOSS_BOUND, TIMES_PYTORCH * abs(rounded - reference) / unit)
    bound = max(GRADIENT_BOUND, TIMES_PYTORCH * result["pytorch"])
    good = loss <= loss_bound and result["gradient"] <= bound
    good = good and not result["missing"]
    return {"stage": "pass" if good else "wrong", "loss": loss, **result}


def try_family(family: Family, folder: Path, exporter: str) -> dict:
    try:
        return {"family": family.name, **check(family, folder, exporter)}
    except StageError as error:
        return {"family": family.name, "stage": error.stage, "why": str(error)[:600]}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("families", nargs="*", default=[".*"], metavar="REGEX")
    parser.add_argument(
        "--exporter",
        choices=["dynamo", "unoptimized", "torchscript"],
        default="dynamo",
        help="unoptimized: dynamo with optimize=False",
    )
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.work.mkdir(parents=True, exist_ok=True)
    pattern = "|".join(f"(?:{each})" for each in options.families)
    counts: dict[str, int] = {}
    for family in FAMILIES:
        if not re.fullmatch(pattern, family.name):
            continue
        folder = options.work.resolve() / options.exporter / family.name
        result = try_family(family, folder, options.exporter)
        with open(options.work / f"{options.exporter}.jsonl", "a") as log:
            print(json.dumps(result), file=log)
        said = {k: v for k, v in result.items() if k not in ("family", "stage")}
        print(f"{family.name}: {result['stage']} {said}", flush=True)
        counts[result["stage"]] = counts.get(result["stage"], 0) + 1
    print("check_families:", *(f"{n} {stage}," for stage, n in counts.items()))
    return 0 if set(counts) == {"pass"} else 1


if __name__ == "__main__":
    sys.exit(main())
