# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains one model with several microbatch sizes and compares losses, first gradients and final weights.

usage: microbatches.py MODELS_DIR WORK_DIR MODEL VARIANT SIZE SIZE... [--dropout=P] [--losses-only] [--model-file=F]
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys


def losses(run):
    return [json.loads(line)["loss"] for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def train(options, golden, folder, size):
    work = options.work / str(size)
    flags, skip = [], False
    for flag in golden["flags"]:
        if skip:
            skip = False
        elif flag == "--dim":
            skip = True
        else:
            flags.append(flag)
    dims = [f"batch={size}"] + [f"{k}={v}" for k, v in golden["dims"].items() if k not in ("batch", "seq")]
    for dim in dims:
        flags += ["--dim", dim]
    if options.dropout:
        flags.append(f"--dropout={options.dropout}")
    work.mkdir()
    model = folder / (options.model_file or "model.onnx")
    subprocess.run(["accelc", model, "-o", work / "plan", "--quiet", *flags], check=True)
    subprocess.run(["accel-run", work / "plan", "--quiet", *golden["run_flags"], "--run-dir", work / "run",
                    "--dump-gradients", work / "gradients.safetensors", "--export", work / "final.safetensors"],
                   check=True, cwd=folder)
    return work


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("variant")
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--dropout", default="")
    parser.add_argument("--losses-only", action="store_true")
    parser.add_argument("--model-file", default="")
    options = parser.parse_intermixed_args()

    folder = options.models / options.model
    suffix = f"-{options.variant}" if options.variant else ""
    golden = json.loads((folder / f"golden{suffix}.json").read_text(encoding="utf-8"))
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    runs = [train(options, golden, folder, size) for size in options.sizes]

    first = losses(runs[0] / "run")
    failed = False
    for size, run in zip(options.sizes, runs):
        worst = max(abs(a - b) for a, b in zip(first, losses(run / "run")))
        print(f"microbatch {size}: worst loss difference {worst:.2e} (bound 2e-6)")
        failed |= len(first) != len(losses(run / "run")) or not worst <= 2e-6
    if options.dropout:
        plain = max(abs(a - b) for a, b in zip(first, golden["loss"]))
        print(f"with and without dropout: {plain:.2e} apart")
        failed |= plain < 1e-3
    for run in [] if options.losses_only else runs[1:]:
        command = [sys.executable, pathlib.Path(__file__).with_name("compare.py"), folder,
                   "--gradients", run / "gradients.safetensors", "--weights", run / "final.safetensors",
                   "--reference-gradients", runs[0] / "gradients.safetensors",
                   "--reference-weights", runs[0] / "final.safetensors", "--gradient-tolerance", "2e-6"]
        if options.variant:
            command += ["--variant", options.variant]
        failed |= subprocess.run(command, check=False).returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
