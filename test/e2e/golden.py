# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model of test/e2e/models as its golden says and compares losses, gradients and weights with PyTorch's.

usage: golden.py MODELS_DIR WORK_DIR MODEL [VARIANT] [--file=PATH] [--fresh] [--mode=MODE] [--target=VARIANT,...] [--flag=FLAG] [--ranks=N,...] [--processes=N,...]

Needs accelc and accel-run in PATH and nothing but the standard library.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys


MODES = {"plain": [], "zero1": ["--zero=1"], "zero2": ["--zero=2"], "fsdp": ["--fsdp"]}


def run(command, log, cwd=None):
    with open(log, "w", encoding="utf-8") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=cwd, check=False)
    if done.returncode != 0:
        print("$", " ".join(map(str, command)))
        print(pathlib.Path(log).read_text(encoding="utf-8"))
        sys.exit(f"exit code {done.returncode}")


def own_variant(flags):
    """One variant takes two thirds of the time to compile. Whether products of bf16 are fast accel-run alone knows, so plans with some are for all."""
    rounds = any(flag.startswith(("--bf16", "--fp16", "--fp8")) for flag in flags)
    return "cpu" if rounds else os.environ.get("ACCEL_OWN_VARIANT", "cpu")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("variant", nargs="?", default="")
    parser.add_argument("--file", help="another export of the model, in MODELS_DIR; default: MODEL/model.onnx")
    parser.add_argument("--fresh", action="store_true", help="the wider bounds of a fresh model")
    parser.add_argument("--mode", choices=MODES, default="plain", help="what ranks share")
    parser.add_argument("--target", default="", help="what the plan is made for; CPUs must be among it, and execute it; default: ACCEL_OWN_VARIANT, or "
                        "cpu")
    parser.add_argument("--flag", action="append", default=[], help="another flag of accelc, which changes no number")
    parser.add_argument("--ranks", default="1", help="as threads, one or several numbers: 2,3,4")
    parser.add_argument("--processes", default="", help="as processes, one or several numbers")
    options = parser.parse_args()

    folder = options.models.resolve() / options.model
    suffix = f"-{options.variant}" if options.variant else ""
    golden = json.loads((folder / f"golden{suffix}.json").read_text(encoding="utf-8"))
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    model = folder.parent / options.file if options.file else folder / "model.onnx"
    run(["accelc", model, "-o", work / "plan", f"--target={options.target or own_variant([*golden['flags'], *options.flag])}", *golden["flags"], *MODES[options.mode],
         *options.flag],
        work / "compile.log", cwd=folder)
    layouts = [f"--ranks-as-threads={ranks}" for ranks in options.ranks.split(",")]
    layouts += [f"--ranks={ranks}" for ranks in options.processes.split(",") if ranks]
    failed = False
    for layout in layouts:
        print(f"{options.mode} {layout}", flush=True)
        failed |= train(options, golden, folder, work, layout) != 0
    sys.exit(1 if failed else 0)


def train(options, golden, folder, work, layout):
    """Trains the plan in one layout; the exit code of the comparison."""
    work = work / layout.strip("-")
    work.mkdir()
    # One thread: tests run side by side. That threads change no bit is another test's.
    command = ["accel-run", work.parent / "plan", "--device=cpu", "--threads=1", *golden["run_flags"], "--run-dir", work / "run",
               "--export", work / "final.safetensors", layout]
    comparison = [sys.executable, pathlib.Path(__file__).with_name("compare.py"), folder,
                  "--metrics", work / "run" / "metrics.jsonl"]
    if options.variant:
        comparison += ["--variant", options.variant]
    if "gradients" in golden["files"]:
        command += ["--dump-gradients", work / "gradients.safetensors"]
        comparison += ["--gradients", work / "gradients.safetensors"]
    if "final" in golden["files"]:
        comparison += ["--weights", work / "final.safetensors"]
    if "average" in golden["files"]:
        command += ["--export-ema", work / "average.safetensors"]
        comparison += ["--average", work / "average.safetensors"]
    if options.fresh:
        comparison.append("--fresh")
    run(command, work / "run.log", cwd=folder)
    return subprocess.run(comparison, check=False).returncode


if __name__ == "__main__":
    main()
