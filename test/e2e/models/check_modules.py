#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the gradients of many small modules (modules_*.py) with PyTorch's.

    python check_modules.py WORK_DIR                   # all, both forms of the dynamo exporter
    python check_modules.py WORK_DIR 'lstm|gru' rope   # those that a pattern is found in
    python check_modules.py WORK_DIR --exporter=unoptimized --moved
    python check_modules.py WORK_DIR 'conv' --flags    # with --bf16, --fsdp, --lora ...
    python check_modules.py WORK_DIR 'loss' --microbatch=1
    python check_modules.py --list

Each module is ten lines of what people write: attention in odd forms, convolutions,
norms, recurrent nets, reads and writes at computed places, parameters that are equal,
tied, shared or not used.  PyTorch exports it, accelc compiles it, accel-run trains
one step of a whole and a short microbatch, and PyTorch in double says what loss and
gradients are.  A line each ends with one of

    pass       the worst relative error of a gradient, and of which parameter
    refused    by accelc, with the code that the module is registered with: its
               message has a remedy
    wrong      a gradient or the loss is off, or a parameter has none
    FAILED     a program crashed, or refused what is not registered as refused

--flags compiles and trains each module with every set of flags in check_flags.py
instead, and compares with the plan without them within what the precision allows.
WORK_DIR/EXPORTER/MODULE keeps the file, the plan and the data.  The exit status is 1
if anything is wrong or failed.  Needs accelc and accel-run in PATH.
"""

from __future__ import annotations

import argparse
import collections
import copy
import importlib
import json
import logging
import re
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn
from training import cast_floats, move_parameters

from check_flags import check_flags
from gradients import compare_gradients
from modules import CLASSES, MODULES, Module
from programs import Refusal, StageError, compile_model, export, run

for path in sorted(Path(__file__).parent.glob("modules_*.py")):
    importlib.import_module(path.stem)  # registers its modules

EXAMPLES = 3
# The last microbatch is short, unless it has one sample, or whole where samples
# influence each other.
GLOBAL_BATCH, WHOLE_BATCH = 7, 8
# Relative errors; where norms over few elements magnify the rounding of float32,
# three times PyTorch's own error is allowed.
GRADIENT_BOUND, LOSS_BOUND, TIMES_PYTORCH = 1e-5, 1e-5, 3


def make_inputs(case: Module) -> dict[str, torch.Tensor]:
    samples = WHOLE_BATCH if case.mixes else GLOBAL_BATCH
    inputs = {name: make(samples) for name, make in case.inputs.items()}
    if not case.has_loss:
        inputs["labels"] = torch.randint(0, CLASSES, (samples,))
    return inputs


def pytorch_step(
    case: Module, module: nn.Module, inputs: dict, dtype: torch.dtype, microbatch: int
) -> tuple[float, dict[str, torch.Tensor]]:
    """The loss and the gradients: of all samples, or summed over microbatches."""
    model = copy.deepcopy(module).to(dtype)
    samples = len(next(iter(inputs.values())))
    step = microbatch if case.mixes else samples
    total = 0.0
    for first in range(0, samples, step):
        given = {n: v[first : first + step] for n, v in cast_floats(inputs, dtype).items()}
        rows = len(next(iter(given.values())))
        if case.has_loss:
            loss = model(**given)
        else:
            labels = given.pop("labels")
            loss = F.cross_entropy(model(**given), labels)
        loss = loss * (rows / samples)
        loss.backward()
        total += loss.item()
    return total, {
        name: torch.zeros_like(p) if p.grad is None else p.grad
        for name, p in model.named_parameters()
    }


def compile_flags(case: Module, microbatch: int) -> list[str]:
    samples = WHOLE_BATCH if case.mixes else GLOBAL_BATCH
    flags = [f"--dim=batch={microbatch}", f"--global-batch={samples}"]
    if not case.has_loss:
        return [*flags, "--objective=classification"]
    return [*flags, "--loss-weight=samples"] if case.mixes else flags


def run_step(
    inputs: dict, folder: Path, plan: str = "plan", ranks: int = 1
) -> tuple[float, dict[str, torch.Tensor]]:
    data = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value.numpy())
        data.append(f"--data={name}={name}.npy")
    shutil.rmtree(folder / "run", ignore_errors=True)
    command = ["accel-run", plan, *data, "--shuffle=off", "--steps=1", "--quiet"]
    command += [f"--ranks={ranks}", "--threads=1", "--run-dir=run"]
    run([*command, "--dump-gradients=gradients.safetensors"], folder)
    loss = json.loads((folder / "run/metrics.jsonl").read_text())["loss"]
    return loss, load_file(folder / "gradients.safetensors")


def build(case: Module, options) -> tuple[nn.Module, dict[str, torch.Tensor]]:
    torch.manual_seed(options.seed)
    module = case.build().train()
    if options.moved:
        move_parameters(module)
    return module, make_inputs(case)


def compare(module: nn.Module, ours: tuple, theirs: tuple, single: tuple) -> dict:
    result = compare_gradients(module, ours[1], theirs[1])
    pytorch = compare_gradients(module, single[1], theirs[1])["gradient"]
    allowed = max(GRADIENT_BOUND, TIMES_PYTORCH * pytorch)
    loss = abs(ours[0] - theirs[0]) / max(1.0, abs(theirs[0]))
    good = result["gradient"] <= allowed and loss <= LOSS_BOUND
    stage = "pass" if good and not result["missing"] else "wrong"
    return {"stage": stage, **result, "loss": loss, "pytorch": pytorch}


def check(case: Module, folder: Path, exporter: str, options) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    module, inputs = build(case, options)
    example = {name: inputs[name][:EXAMPLES].clone() for name in case.inputs}
    output = "loss" if case.has_loss else "logits"
    exported = copy.deepcopy(module)  # tracing may move what a module remembers
    export(exported, example, folder / "model.onnx", exporter, output)
    flags = compile_flags(case, options.microbatch)
    compile_model(["-o", "plan", *flags], folder)
    ours = run_step(inputs, folder)
    if options.flags:

        def run_flags(folder: Path, ranks: int):
            return run_step(inputs, folder, "flags.plan", ranks)

        return check_flags(ours, folder, flags, run_flags)
    try:
        theirs, single = (
            pytorch_step(case, module, inputs, dtype, options.microbatch)
            for dtype in (torch.float64, torch.float32)
        )
    except RuntimeError as error:  # such as a write in place that it refuses
        raise StageError("pytorch", str(error)) from error
    return compare(module, ours, theirs, single)


def try_module(case: Module, folder: Path, exporter: str, options) -> dict:
    expected = case.refused.get(exporter)
    if options.moved and expected in ("E0404", "E0405"):
        expected = None  # nothing is equal, or 0, or 1
    try:
        result = check(case, folder, exporter, options)
    except Refusal as error:
        stage = "refused" if error.code == expected else "FAILED"
        return {"stage": stage, "code": error.code, "why": str(error)[:600]}
    except StageError as error:
        stage = "refused" if error.stage == expected else "FAILED"
        return {"stage": stage, "by": error.stage, "why": str(error)[:600]}
    if expected:
        return result | {"stage": "FAILED", "why": f"not refused with {expected}"}
    return result


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, nargs="?", help="folder for what is made")
    parser.add_argument("modules", nargs="*", default=[""], metavar="REGEX")
    parser.add_argument(
        "--exporter",
        choices=["dynamo", "unoptimized", "both"],
        default="both",
        help="unoptimized: dynamo with optimize=False",
    )
    parser.add_argument(
        "--moved",
        action="store_true",
        help="move parameters as training would: none are equal, or 0, or 1",
    )
    parser.add_argument(
        "--microbatch", type=int, default=4, choices=[1, 2, 4, 8], help="its samples"
    )
    parser.add_argument("--seed", type=int, default=1, help="of weights and data")
    parser.add_argument("--flags", action="store_true", help="sweep accelc's flags")
    parser.add_argument("--list", action="store_true", help="print the names, and end")
    options = parser.parse_intermixed_args()
    if not options.work and not options.list:
        parser.error("expected a folder for what is made, got none: WORK_DIR or --list")
    return options


def main() -> int:
    options = parse_arguments()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)  # the exporter misses torchvision
    torch.set_num_threads(1)
    pattern = "|".join(f"(?:{each})" for each in options.modules)
    chosen = [each for each in MODULES if re.search(pattern, each.name)]
    if options.list:
        print(*(each.name for each in chosen), sep="\n")
        return 0
    both = ["dynamo", "unoptimized"]
    counts: collections.Counter[str] = collections.Counter()
    for exporter in both if options.exporter == "both" else [options.exporter]:
        for case in chosen:
            folder = options.work.resolve() / exporter / case.name
            result = try_module(case, folder, exporter, options)
            said = {k: v for k, v in result.items() if k != "stage"}
            print(f"{exporter} {case.name}: {result['stage']} {said}", flush=True)
            counts[result["stage"]] += 1
    print("check_modules:", ", ".join(f"{n} {stage}" for stage, n in counts.items()))
    return 0 if counts and not counts["wrong"] and not counts["FAILED"] else 1


if __name__ == "__main__":
    sys.exit(main())
