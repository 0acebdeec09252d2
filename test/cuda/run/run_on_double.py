# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains plans for GPUs through the doubles of NVIDIA's libraries (test/cuda/double), and looks at what comes out.

usage: run_on_double.py compare LIBRARIES PLAN [--steps N] [--seeds N,...] [-- OPTIONS...]   losses are those of --device=cpu, in every order
           [--reference PLAN]   which --device=cpu runs, if PLAN has no code for CPUs
           [--tolerance T] [--differs D]   by no more than T of a loss, and by more than D, since GPUs compute in another precision
       run_on_double.py waits LIBRARIES PLAN --count N [-- OPTIONS...]   which of the first N waits for events nobody misses
       run_on_double.py failures LIBRARIES PLAN SOURCES [-- OPTIONS...]  every call fails once, and the run ends with its name

OPTIONS go to accel-run. Needs accel-run in PATH and nothing but the standard library.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

DEADLINE_SECONDS = 120

# Options that a run on CPUs has no use for.
GPU_OPTION = re.compile(r"--(?:graphs|collectives)=")

# Calls of which a failure is no failure of the run: they give something back, or only words for a message.
HARMLESS = re.compile(r"Destroy|Free|Unload|Release|cuGetError|cublasLtGet(?:Version|StatusString)|cudnnGet(?:Last)?ErrorString|ElapsedTime|ncclCommFinalize|ncclGet\w*Error|AlgoConfig")
# Not called yet, or not for an MLP whose products nobody has tuned; or a number that is taken for a version.
UNUSED = re.compile(r"cudnnGetVersion|AlgoCheck|cuLaunchHostFunc|TotalMem|DtoDAsync|MemsetD(?:16|32|2D32)|ncclCommAbort")


class Run:
    """One training in a folder of its own."""

    def __init__(self, options, name, device=(), plan=None, **environment):
        folder = pathlib.Path(f"{options.plan}.{name}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        report = folder / "report"
        environment = {f"ACCEL_DOUBLE_{key.upper()}": str(value) for key, value in environment.items()}
        environment = {**os.environ, "ACCEL_DOUBLE_REPORT": str(report), **environment}
        own = [option for option in options.options if not (device and GPU_OPTION.match(option))]
        command = ["accel-run", plan or options.plan, f"--steps={options.steps}", f"--run-dir={folder}/run", "--quiet", *own,
                   *(device or [f"--cuda-libs={options.libraries}"])]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
        self.status = done.returncode
        self.messages = done.stderr
        self.report = report.read_text(encoding="utf-8") if report.exists() else ""
        metrics = folder / "run" / "metrics.jsonl"
        lines = metrics.read_text(encoding="utf-8").splitlines() if metrics.exists() else []
        self.losses = [record["loss"] for record in map(json.loads, lines) if "loss" in record]


def compare(options):
    reference = Run(options, "cpu", device=["--device=cpu"], plan=options.reference)
    if reference.status != 0 or len(reference.losses) != options.steps:
        sys.exit(f"--device=cpu: status {reference.status}\n{reference.messages}")
    first = None
    for seed in options.seeds.split(","):
        run = Run(options, f"seed{seed}", seed=seed)
        if run.status != 0 or run.report:
            sys.exit(f"seed {seed}: status {run.status}\n{run.messages}{run.report}")
        worst = max(abs(a - b) / abs(b) for a, b in zip(run.losses, reference.losses, strict=True))
        if not options.differs < worst <= options.tolerance or math.isnan(worst):
            sys.exit(f"seed {seed}: losses {run.losses}, on the CPU {reference.losses}")
        first = first or run.losses
        if run.losses != first:
            sys.exit(f"seed {seed}: losses {run.losses}, in another order {first}")
        print(f"seed {seed}: {len(run.losses)} losses within {worst:.1e}")


def waits(options):
    missed = []
    for number in range(options.first, options.first + options.count):
        run = Run(options, "wait", drop_wait=number)
        if bool(run.report) != (run.status != 0):
            sys.exit(f"wait {number}: status {run.status}\n{run.messages}{run.report}")
        if not run.report:
            missed.append(str(number))
    print(f"{len(missed)} of {options.count} waits are not missed: {' '.join(missed)}")


def failures(options):
    names = []
    for source in options.sources:
        names += re.findall(r"^ *X\((?:[\w ]+\*?, )?((?:cu|nccl)\w+)", pathlib.Path(source).read_text(encoding="utf-8"), re.MULTILINE)
    bad = 0
    for name in names:
        if UNUSED.search(name):
            continue
        code = 14 if name.startswith("cublas") else 5000 if name.startswith("cudnn") else 3 if name.startswith("nccl") else 999
        run = Run(options, "failure", fail=f"{name}={code}@1")
        is_right = run.status == 0 if HARMLESS.search(name) else run.status != 0 and name in run.messages
        print(f"{'' if is_right else 'WRONG '}{name}: status {run.status} {run.messages.strip().splitlines()[-1:]}")
        bad += not is_right
    print(f"{len(names)} calls, {bad} wrong")
    sys.exit(bad != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "waits", "failures"])
    parser.add_argument("libraries")
    parser.add_argument("plan")
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seeds", default="0,1,2,3,4,5")
    parser.add_argument("--reference", metavar="PLAN")
    # Of a few steps; what differs is the order of sums in products and attention.
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--differs", type=float, default=-1)
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    options.options = rest
    {"compare": compare, "waits": waits, "failures": failures}[options.what](options)


if __name__ == "__main__":
    main()
