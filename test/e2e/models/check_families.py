#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the training of many families of models (families.py) with PyTorch's.

    python check_families.py WORK_DIR                    # all, the default exporter
    python check_families.py WORK_DIR gpt2 'vit|deit'    # those whose names match
    python check_families.py WORK_DIR --exporter=unoptimized
    python check_families.py WORK_DIR swin --params      # accelc gets the state dict
    python check_families.py WORK_DIR bert --flag=--sparse-prediction

PyTorch exports the loss of each, accelc compiles it, and accel-run trains it on
one rank and on two, with a batch that leaves the last microbatch short.  PyTorch's
loop over the microbatches, in double, is what all is compared with:

    gradient    the worst gradient of step 1, and "of" which parameter
    losses      the worst of all steps; "moved" is how far training moves them
    statistics  the worst running mean or variance behind the last step
    sample      what another input of one sample changes in the gradients
    mixes       whether that changes more than the loss of the sample, which accelc
                has to say as well

All are relative errors, and "pytorch" has those of PyTorch in float32.  One line
of JSON a family is added to WORK_DIR/EXPORTER.jsonl.  Needs accelc and accel-run
in PATH, and timm==1.0.31 besides requirements.txt.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import re
import shutil
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_model
from torch import nn
from training import Result, move_parameters

from families import FAMILIES, Family, Inputs
from family_training import (
    MICROBATCH,
    OPTIMIZER,
    STEPS,
    global_batch,
    has_batch_norm,
    own_loss,
    perturb,
    train_family,
)
from gradients import compare_gradients, pair_gradients
from programs import StageError, export, run

EXAMPLES = 3  # rows that are exported; not the microbatch, as sizes are symbolic
# Relative errors.  Norms over a few elements magnify the rounding of float32, so
# what is near to parameters may have three times PyTorch's error instead.
BOUNDS = {"gradient": 1e-4, "losses": 1e-3, "statistics": 1e-5, "sample": 1e-3}
MAGNIFIED, TIMES_PYTORCH = ("gradient", "statistics", "sample"), 3
FIRST_LOSS_BOUND = 1e-5
# Training must move losses by more than a bound would hide.
SMALLEST_MOVE = 1e-2
# How accelc says that samples of a microbatch influence each other.
MIXES = re.compile("samples influence each other|statistics of each microbatch")


def compile_plan(module: nn.Module, family: Family, folder: Path, options) -> bool:
    """Whether accelc says that the model mixes samples."""
    o = OPTIMIZER
    # A file does not say what PyTorch has frozen, as tables of sines.
    frozen = [n for n, p in module.named_parameters() if not p.requires_grad]
    names = "|".join(map(re.escape, frozen))
    flags = [f"--dim=batch={MICROBATCH}", f"--global-batch={global_batch(family)}"]
    flags += ["--optimizer=sgd", f"--momentum={o.momentum}", f"--lr={family.lr}"]
    flags += [f"--weight-decay={o.weight_decay}", f"--clip-norm={o.clip_norm}"]
    flags += [f"--freeze=^({names})$"] if frozen else []
    if options.params:
        save_model(module, str(folder / "params.safetensors"))
        flags.append("--params=params.safetensors")
    flags += ["--loss-weight=samples"] if family.compares_samples else []
    flags += options.flag
    said = run(["accelc", "model.onnx", "-o", "plan", *flags], folder)
    return MIXES.search(said) is not None


def train(inputs: Inputs, folder: Path, ranks: int, steps: int = STEPS) -> Result:
    data = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value.numpy())
        data.append(f"--data={name}={name}.npy")
    shutil.rmtree(folder / "run", ignore_errors=True)
    command = ["accel-run", "plan", *data, "--shuffle=off", f"--steps={steps}"]
    command += [f"--ranks={ranks}", "--threads=1", "--run-dir=run", "--quiet"]
    files = ["--dump-gradients=gradients.safetensors", "--export=final.safetensors"]
    run([*command, *files], folder)
    lines = (folder / "run/metrics.jsonl").read_text().splitlines()
    return Result(
        loss=[json.loads(line)["loss"] for line in lines],
        gradients=load_file(folder / "gradients.safetensors"),
        final=load_file(folder / "final.safetensors"),
    )


@dataclass
class Runs:
    """The trainings of one side, and step 1 with a sample perturbed."""

    trained: Result
    perturbed: Result


def sample_error(module: nn.Module, ours: Runs, theirs: Runs) -> float:
    """Of what perturbing a sample changes in all gradients together."""
    pairs = [
        pair_gradients(module, ours.trained.gradients, theirs.trained.gradients),
        pair_gradients(module, ours.perturbed.gradients, theirs.perturbed.gradients),
    ]
    error, norm = 0.0, 0.0
    for name, (a, b) in pairs[0].items():
        c, d = pairs[1][name]
        if a is not None and c is not None:
            error += ((c - a) - (d - b)).square().sum().item()
            norm += (d - b).square().sum().item()
    return (error / norm) ** 0.5


def compare(module: nn.Module, ours: Runs, theirs: Runs) -> dict:
    """The worst relative errors of what BOUNDS has bounds for."""
    a, b = ours.trained, theirs.trained
    result = compare_gradients(module, a.gradients, b.gradients)
    errors = [
        abs(x - y) / max(1.0, abs(y)) for x, y in zip(a.loss, b.loss, strict=True)
    ]
    result |= {"first": errors[0], "losses": max(errors)}
    statistics = [n for n in b.final if n.endswith((".running_mean", ".running_var"))]
    result["statistics"] = max(
        (
            ((a.final[n] - b.final[n]).norm() / b.final[n].norm()).item()
            for n in statistics
        ),
        default=0.0,
    )
    return result | {"sample": sample_error(module, ours, theirs)}


def mixes_samples(module: nn.Module, inputs: Inputs, theirs: Runs, batch: int) -> bool:
    """Whether the loss changes by anything but that of the perturbed sample."""
    if has_batch_norm(module):
        return True
    own = own_loss(module, perturb(inputs), batch) - own_loss(module, inputs, batch)
    change = theirs.perturbed.loss[0] - theirs.trained.loss[0]
    return abs(change - own) > FIRST_LOSS_BOUND * max(1.0, abs(theirs.trained.loss[0]))


def faults(result: dict, pytorch: dict, says_mixes: bool) -> list[str]:
    bounds = BOUNDS | {"first": FIRST_LOSS_BOUND}
    found = [
        name
        for name, bound in bounds.items()
        if not result[name] <= bound
        and not (name in MAGNIFIED and result[name] <= TIMES_PYTORCH * pytorch[name])
    ]
    if result["missing"]:
        found.append("missing")
    if result["mixes"] != says_mixes:
        found.append("mixes")
    if result["moved"] < SMALLEST_MOVE:
        found.append("moved")
    return found


def build(family: Family) -> tuple[nn.Module, Inputs]:
    torch.manual_seed(family.seed)
    module = family.build().train()
    if not family.is_new:
        move_parameters(module)
    return module, family.inputs()


def check(family: Family, folder: Path, options) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    module, inputs = build(family)
    # TorchScript runs a module to trace it, which moves running statistics.
    exported = copy.deepcopy(module)
    example = {name: value[:EXAMPLES].clone() for name, value in inputs.items()}
    export(exported, example, folder / "model.onnx", options.exporter)
    module.load_state_dict(exported.state_dict())

    says_mixes = compile_plan(module, family, folder, options)
    changed = perturb(inputs)
    perturbed = train(changed, folder, ranks=1, steps=1)
    ours = [Runs(train(inputs, folder, ranks), perturbed) for ranks in (1, 2)]
    theirs, single = (
        Runs(
            train_family(module, inputs, family, dtype),
            train_family(module, changed, family, dtype, steps=1),
        )
        for dtype in (torch.float64, torch.float32)
    )
    results = [compare(module, runs, theirs) for runs in ours]
    result = max(results, key=lambda each: each["gradient"])
    result |= {name: max(each[name] for each in results) for name in (*BOUNDS, "first")}
    # Steps 1 and 9 have the same samples.
    losses = theirs.trained.loss
    result["moved"] = abs(losses[8] - losses[0]) / abs(losses[0])
    result["mixes"] = mixes_samples(module, inputs, theirs, global_batch(family))
    pytorch = compare(module, single, theirs)
    found = faults(result, pytorch, says_mixes)
    stage = "wrong" if found else "pass"
    if "losses" in found and pytorch["losses"] > BOUNDS["losses"]:
        stage = "unstable"  # so much that PyTorch does not agree with itself
    result["pytorch"] = {name: pytorch[name] for name in BOUNDS}
    return {"stage": stage, "faults": found, **result}


def try_family(family: Family, folder: Path, options) -> dict:
    try:
        return {"family": family.name, **check(family, folder, options)}
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
    parser.add_argument(
        "--params", action="store_true", help="give accelc the state dict, too"
    )
    parser.add_argument(
        "--flag", action="append", default=[], help="another flag of accelc"
    )
    parser.add_argument(
        "--seed", type=int, help="of weights and inputs, instead of the family's own"
    )
    parser.add_argument(
        "--new", action="store_true", help="leave parameters as modules begin"
    )
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    pattern = "|".join(f"(?:{each})" for each in options.families)
    counts: dict[str, int] = {}
    for family in FAMILIES:
        if not re.fullmatch(pattern, family.name):
            continue
        if options.seed is not None:
            family = dataclasses.replace(family, seed=options.seed)
        family = dataclasses.replace(family, is_new=options.new)
        folder = options.work.resolve() / options.exporter / family.name
        result = try_family(family, folder, options)
        with open(options.work / f"{options.exporter}.jsonl", "a") as log:
            print(json.dumps(result), file=log)
        said = {k: v for k, v in result.items() if k not in ("family", "stage")}
        print(f"{family.name}: {result['stage']} {said}", flush=True)
        counts[result["stage"]] = counts.get(result["stage"], 0) + 1
    print("check_families:", *(f"{n} {stage}," for stage, n in counts.items()))
    return 0 if set(counts) == {"pass"} else 1


if __name__ == "__main__":
    sys.exit(main())
