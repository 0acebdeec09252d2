# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model, exports it as ONNX, compiles the export and goes on.

usage: continue_training.py MODELS_DIR WORK_DIR MODEL

The data of every model has 100 samples and a step takes 8, so after 25 steps the order begins anew: the first loss of the
exported model must be that of step 26 of a run that was not interrupted. Both plans must have the same parameters.
"""

import json
import pathlib
import shutil
import subprocess
import sys


def parameters(plan):
    """What the runtime says of a plan's parameters: name and shape."""
    shown = subprocess.run(["accel-inspect", plan, "--json"], check=True, capture_output=True, text=True).stdout
    found = {}

    def walk(node):
        if isinstance(node, dict):
            if "parameters" in node and isinstance(node["parameters"], list):
                for entry in node["parameters"]:
                    if isinstance(entry, dict) and "shape" in entry:
                        found[entry["name"]] = entry["shape"]
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(shown))
    return found


def main():
    models, work, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    folder = models / name
    golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    def run(*command):
        subprocess.run(command, check=True, cwd=folder)

    def train(plan, steps, run_dir, *more):
        flags = [flag for flag in golden["run_flags"] if not flag.startswith("--steps")]
        run("accel-run", plan, "--quiet", *flags, f"--steps={steps}", "--run-dir", work / run_dir, *more)
        lines = (work / run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["loss"] for line in lines]

    run("accelc", "model.onnx", "-o", work / "plan", "--quiet", *golden["flags"])
    train(work / "plan", 25, "interrupted", "--export", work / "trained.onnx")
    expected = train(work / "plan", 26, "whole")[-1]
    run("accelc", work / "trained.onnx", "-o", work / "again", "--quiet", *golden["flags"])
    before, after = parameters(work / "plan"), parameters(work / "again")
    if not before or before != after:
        sys.exit(f"parameters differ: {before} and {after}")
    loss = train(work / "again", 1, "next")[0]
    print(f"{name}: loss after continuing {loss:.7f}, expected {expected:.7f}")
    if not abs(loss - expected) <= 1e-5:
        sys.exit("the exported model is not the trained one")


if __name__ == "__main__":
    main()
