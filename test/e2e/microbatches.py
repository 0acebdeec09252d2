# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains one model in several layouts and compares losses, first gradients and final weights.

usage: microbatches.py MODELS_DIR WORK_DIR MODEL VARIANT LAYOUT LAYOUT... [--dropout=EXPORT] [--steps=N] [--mode=FLAG]

A layout is the size of a microbatch, or with a number of ranks behind it (3x2: two ranks, microbatches of 3).

With --mode every layout but the first is compiled with that flag (--fsdp, --zero=1 ...).

With --dropout the model is the export of that name, which has dropout and the weights and data of MODEL: only losses are
compared, and they must be others than without dropout and than with another seed.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys


def losses(run):
    return [json.loads(line)["loss"] for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def train(options, golden, folder, layout, mode=(), seed=0):
    size, _, ranks = layout.partition("x")
    work = options.work / f"{layout}-{seed}{''.join(mode)}"
    flags, skip = [], False
    for flag in golden["flags"]:
        if skip:
            skip = False
        elif flag == "--dim":
            skip = True
        elif options.dropout and flag == "--dropout=off":
            continue
        else:
            flags.append(flag)
    dims = [f"batch={size}"] + [f"{k}={v}" for k, v in golden["dims"].items() if k not in ("batch", "seq")]
    for dim in dims:
        flags += ["--dim", dim]
    work.mkdir()
    model = options.models / (options.dropout or options.model) / "model.onnx"
    run_flags = [flag for flag in golden["run_flags"] if not flag.startswith("--steps")]
    run_flags += [f"--steps={options.steps or golden['steps']}", f"--seed={seed}"]
    run_flags += ["--threads=1", f"--ranks-as-threads={ranks or 1}"]  # one thread: tests run side by side
    plan = options.work / f"plan-{size}{''.join(mode)}"
    if not plan.exists():
        subprocess.run(["accelc", model, "-o", plan, "--quiet", *flags, *mode], check=True)
    subprocess.run(["accel-run", plan, "--quiet", *run_flags, "--run-dir", work / "run",
                    "--dump-gradients", work / "gradients.safetensors", "--export", work / "final.safetensors"],
                   check=True, cwd=folder)
    return work


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("variant")
    parser.add_argument("layouts", nargs="+")
    parser.add_argument("--dropout", default="")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--mode", default="")
    options = parser.parse_intermixed_args()

    folder = options.models / options.model
    suffix = f"-{options.variant}" if options.variant else ""
    golden = json.loads((folder / f"golden{suffix}.json").read_text(encoding="utf-8"))
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    modes = [[]] + [[options.mode] if options.mode else []] * (len(options.layouts) - 1)
    runs = [train(options, golden, folder, layout, mode) for layout, mode in zip(options.layouts, modes)]

    first = losses(runs[0] / "run")
    failed = False
    for layout, run in zip(options.layouts, runs):
        worst = max(abs(a - b) for a, b in zip(first, losses(run / "run")))
        print(f"layout {layout}: worst loss difference {worst:.2e} (bound 2e-6)")
        failed |= len(first) != len(losses(run / "run")) or not worst <= 2e-6
    if options.dropout:
        other = losses(train(options, golden, folder, options.layouts[0], seed=1) / "run")
        for what, reference in (("without dropout", golden["loss"]), ("with another seed", other)):
            apart = max(abs(a - b) for a, b in zip(first, reference))
            print(f"{what}: {apart:.2e} apart (at least 1e-3)")
            failed |= not apart >= 1e-3
    for run in [] if options.dropout else runs[1:]:
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
