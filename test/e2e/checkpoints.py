# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resumes runs and compares what comes of it, bit by bit, with a run that was never interrupted.

usage: checkpoints.py resume|reshard [--model MODEL] [--steps N] [--every K] [--modes MODE...] [--precisions P...] [--ranks N...]

  resume    a run of N steps is resumed at every K-th of them on the same ranks: state and losses are those of the whole run
  reshard   a checkpoint goes from each number of ranks to each other one and back: the tensors of the state, put together, stay

The default is the campaign of docs/reliability.md. accelc and accel-run are taken from PATH.
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).resolve().parent / "models"
MODES = {"plain": [], "zero1": ["--zero=1"], "zero2": ["--zero=2"], "fsdp": ["--fsdp"]}
PRECISIONS = {"f32": [], "bf16": ["--bf16"], "fp16": ["--fp16"], "fp8": ["--fp8"], "fp8-delayed": ["--fp8=delayed"], "fp8-mx": ["--fp8=mx"],
              "adamw8": ["--optimizer=adamw8"], "ema": ["--ema=0.75", "--group=norm:lr=0.5x,decay=0.1", "--layer-decay=0.5"]}


def run(*words):
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def read_tensors(path):
    """The tensors of a safetensors file: name -> bytes."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    begin = 8 + length
    hashes = header.pop("__metadata__")["sha256"]
    body = data[begin:]
    expected = "".join(hashlib.sha256(body[at : at + (4 << 20)]).hexdigest() for at in range(0, len(body), 4 << 20))
    if hashes != expected:
        sys.exit(f"{path}: the hashes are not those of the data")
    return {name: body[slice(*entry["data_offsets"])] for name, entry in header.items()}


def read_state(folder):
    """Whole tensors and scalars of a checkpoint, however it is cut."""
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    parts = {}
    for file in manifest["files"]:
        for name, data in read_tensors(folder / file["name"]).items():
            tensor, _, ends = name.rpartition("@[")
            parts.setdefault(tensor, []).append((int(ends.split(":")[0]), data))
    state = {name: b"".join(data for _, data in sorted(pieces)) for name, pieces in parts.items()}
    return {**state, **{scalar["name"]: scalar["bytes"] for scalar in manifest["scalars"]}}


def losses(folder):
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [(record["step"], record["loss"], record["grad_norm"], record["skipped_steps"]) for record in map(json.loads, lines)]


def compare(case, what, got, expected):
    if got != expected:
        keys = [key for key in expected if got.get(key) != expected[key]] if isinstance(expected, dict) else got
        sys.exit(f"{case}: {what}: expected what the whole run has, got others: {keys}")


class Campaign:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.data = ["--data", MODELS / options.model / "data.bin"] if (MODELS / options.model / "data.bin").exists() else []

    def compile(self, mode, precision):
        plan = self.folder / f"{mode}-{precision}.plan"
        if not plan.exists():
            run("accelc", MODELS / self.options.model / "model.onnx", "-o", plan, "--quiet", "--global-batch=8", "--max-ranks=8", "--dropout=0.1",
                *MODES[mode], *PRECISIONS[precision])
        return plan

    def train(self, plan, run_dir, ranks, steps, *flags):
        launch = ["-n", ranks] if ranks > 0 else [f"--ranks-as-threads={-ranks}"]
        return run("accel-run", plan, *self.data, "--run-dir", run_dir, "--steps", steps, "--threads=1", "--quiet", "--set", "warmup_steps=3", *launch, *flags)

    def resume(self, mode, precision, ranks):
        case, steps = f"{mode} {precision} on {ranks} ranks", self.options.steps
        plan, whole = self.compile(mode, precision), self.folder / "whole"
        shutil.rmtree(whole, ignore_errors=True)
        self.train(plan, whole, ranks, steps, "--checkpoint-every=1", "--keep=1000")
        last = pathlib.Path("checkpoints") / f"step-{steps:08d}"
        for step in range(self.options.every, steps, self.options.every):
            part = self.folder / "part"
            shutil.rmtree(part, ignore_errors=True)
            name = pathlib.Path("checkpoints") / f"step-{step:08d}"
            (part / "checkpoints").mkdir(parents=True)
            shutil.copytree(whole / name, part / name)
            for file in ("accel-run.json", "metrics.jsonl"):
                shutil.copy(whole / file, part / file)
            self.train(plan, part, ranks, steps, f"--checkpoint-every={steps}", "--resume=auto")
            compare(case, f"state after going on at step {step}", read_state(part / last), read_state(whole / last))
            compare(case, f"metrics after going on at step {step}", losses(part), losses(whole))
        print(f"{case}: {(steps - 1) // self.options.every} resumed runs are the whole run", flush=True)
        return (steps - 1) // self.options.every

    def reshard(self, mode, precision, counts):
        plan = self.compile(mode, precision)
        first = self.folder / "first"
        shutil.rmtree(first, ignore_errors=True)
        self.train(plan, first, counts[0], 3, "--checkpoint-every=3")
        here = first / "checkpoints" / "step-00000003"
        expected = read_state(here)
        moves = 0
        for number, (source, target) in enumerate(itertools.permutations(counts, 2)):
            for ranks in (source, target, source):
                there = self.folder / f"moved-{number}-{ranks}"
                shutil.rmtree(there, ignore_errors=True)
                # All steps are done: what was loaded is saved.
                self.train(plan, there, ranks, 3, "--checkpoint-every=3", "--resume", here)
                here = there / "checkpoints" / "step-00000003"
                compare(f"{mode} {precision}", f"state on {ranks} ranks", read_state(here), expected)
                moves += 1
        print(f"{mode} {precision}: {moves} moves between {', '.join(map(str, counts))} ranks keep the state", flush=True)
        return moves


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["resume", "reshard"])
    parser.add_argument("--model", default="decoder16")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--precisions", nargs="*", default=["f32", "bf16", "fp8"], choices=PRECISIONS)
    parser.add_argument("--ranks", nargs="*", type=int, help="processes; negative: threads [resume: 1 2 4, reshard: 1 2 3 4 6 8]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign, total = Campaign(options, pathlib.Path(folder)), 0
        for mode, precision in itertools.product(options.modes, options.precisions):
            if options.what == "resume":
                total += sum(campaign.resume(mode, precision, ranks) for ranks in options.ranks or [1, 2, 4])
            else:
                total += campaign.reshard(mode, precision, options.ranks or [1, 2, 3, 4, 6, 8])
    print(f"{total} runs, all the same bits")


if __name__ == "__main__":
    main()
