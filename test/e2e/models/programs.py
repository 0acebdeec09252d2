# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what takes a module of PyTorch to a trained one: an exporter, and our programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import torch
from torch import nn


class StageError(Exception):
    """Which program did not do its part, and what it said."""

    def __init__(self, stage: str, why: str):
        super().__init__(why)
        self.stage = stage


class Refusal(StageError):
    """An error of accelc that has a code and a remedy."""

    def __init__(self, code: str, why: str):
        super().__init__("accelc", why)
        self.code = code


def export(
    module: nn.Module, inputs: dict, path: Path, exporter: str, output: str = "loss"
) -> None:
    names = list(inputs)
    options = {"kwargs": inputs, "input_names": names, "output_names": [output]}
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


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines()
        first = [i for i, line in enumerate(lines) if line.startswith("error")]
        said = lines[first[0] :][:3] if first else lines[-3:]
        raise StageError(command[0], "; ".join(said))
    return done.stderr + done.stdout


def compile_model(flags: list[str], folder: Path) -> None:
    """Raises Refusal for an error that says what to do, StageError for any other."""
    command = ["accelc", "model.onnx", "--quiet", "--diagnostics-format=json", *flags]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return
    for line in done.stderr.splitlines():
        said = json.loads(line) if line.startswith("{") else {}
        if said.get("severity") == "error" and said.get("code") and said.get("remedy"):
            raise Refusal(said["code"].removeprefix("ACCEL-"), said["message"])
    raise StageError("accelc", f"status {done.returncode}: {done.stderr[-500:]}")
