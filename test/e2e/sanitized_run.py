# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a plan on several ranks with an accel-run that was built with sanitizers; any report of theirs is a failure.

usage: sanitized_run.py ACCELC ACCEL_RUN MODELS_DIR WORK_DIR MODE threads|processes

ACCELC compiles the plan: it need not be instrumented, and comes from another build. Where it does not exist the exit code
is 77, and the test has not run.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

NOT_RUN = 77
MODES = {"plain": [], "zero1": ["--zero=1"], "zero2": ["--zero=2"], "fsdp": ["--fsdp"]}
REPORTS = ("ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:")


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or any(report in done.stdout for report in REPORTS):
        print("$", " ".join(map(str, command)))
        print(done.stdout)
        sys.exit(f"exit code {done.returncode}")


def main():
    accelc, accel_run, models, work, mode, launch = sys.argv[1:]
    if not os.access(accelc, os.X_OK):
        print(f"{accelc} does not exist: build the release preset first")
        sys.exit(NOT_RUN)
    folder = pathlib.Path(models) / "gpt2"
    work = pathlib.Path(work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run([accelc, folder / "model.onnx", "-o", work / "plan", "--dim", "batch=2", "--global-batch=14", *MODES[mode]], work)
    losses = []
    # An odd number of ranks: parts of different sizes, and a short last iteration. Jitter makes streams and ranks overtake each other.
    for name, flags in (("straight", []), ("shaken", ["--jitter=1", "--checkpoint-every=1", "--checkpoint-async"]), ("serial", ["--serial"])):
        ranks = ["--ranks-as-threads=3"] if launch == "threads" else ["-n", "3"]
        run([accel_run, work / "plan", "--data", "data.bin", "--steps=3", "--threads=1", "--timeout=120", *ranks, *flags,
             "--run-dir", work / name, "--export", work / f"{name}.safetensors",
             "--dump-gradients", work / f"{name}-gradients.safetensors"], folder)
        metrics = (work / name / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        losses.append([json.loads(line)["loss"] for line in metrics])
    if losses[0] != losses[1] or losses[0] != losses[2] or len(losses[0]) != 3:
        sys.exit(f"expected three runs of the same losses, got {losses}")


if __name__ == "__main__":
    main()
