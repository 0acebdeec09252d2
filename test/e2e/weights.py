# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Begins runs with the weights of a file, and compares what comes of it, bit by bit.

usage: weights.py [--model MODEL] [--modes MODE...] [--precisions P...] [--ranks N...]

Of each mode, precision and number of ranks:

  begin     a plan with random weights that begins with those that PyTorch wrote (MODEL/initial.safetensors) takes the steps of the plan that
            was compiled with them: losses, norms and trained weights have the same bits
  return    what is exported, loaded and exported again by a run that does not move weights (lr=0) is the same file

And once, PyTorch's trained weights (final.safetensors) have the loss in the next step that PyTorch had. accelc and accel-run are taken from
PATH.
"""

import argparse
import itertools
import json
import pathlib
import shutil
import sys
import tempfile

from checkpoints import MODES, PRECISIONS, losses, run
from continue_training import TOLERANCE, skip_rows

MODELS = pathlib.Path(__file__).resolve().parent / "models"
STEPS = 3


class Campaign:
    def __init__(self, model, folder):
        self.model = MODELS / model
        self.golden = json.loads((self.model / "golden.json").read_text(encoding="utf-8"))
        self.folder = folder
        self.initial = self.model / "initial.safetensors"

    def compile(self, name, *flags):
        plan = self.folder / f"{name}.plan"
        if not plan.exists():
            run("accelc", self.model / "model.onnx", "-o", plan, "--quiet", *self.golden["flags"], "--max-ranks=8", *flags)
        return plan

    def place(self, word, folder):
        """A flag of the golden, with its file of data in a folder."""
        field, separator, file = word.rpartition("=")
        return f"{field}{separator}{folder / file}" if file in self.golden["data"].values() else word

    def train(self, plan, name, ranks, *flags, steps=STEPS, data=None):
        """Returns the folder of the run and the weights that it exports."""
        run_dir = self.folder / name
        shutil.rmtree(run_dir, ignore_errors=True)
        given = [self.place(word, data or self.model) for word in self.golden["run_flags"] if not word.startswith("--steps")]
        launch = ["-n", ranks] if ranks > 0 else [f"--ranks-as-threads={-ranks}"]
        exported = self.folder / f"{name}.safetensors"
        run("accel-run", plan, *given, "--steps", steps, "--run-dir", run_dir, "--threads=1", "--quiet", *launch, "--export", exported, *flags)
        return run_dir, exported

    def compare(self, case, mode, precision, ranks):
        flags = [*MODES[mode], *PRECISIONS[precision]]
        ours = self.compile(f"{mode}-{precision}", *flags)
        other = self.compile(f"{mode}-{precision}-random", *flags, "--init=normal:0.3")
        whole, trained = self.train(ours, "whole", ranks)
        begun, same = self.train(other, "begun", ranks, "--weights", self.initial)
        if losses(begun) != losses(whole):
            sys.exit(f"{case}: expected the losses of the plan with these weights, got {losses(begun)} instead of {losses(whole)}")
        if same.read_bytes() != trained.read_bytes():
            sys.exit(f"{case}: expected the weights that the plan with these weights trains, got others")
        alone, untouched = self.train(other, "alone", ranks)
        if losses(alone) == losses(whole) or untouched.read_bytes() == trained.read_bytes():
            sys.exit(f"{case}: expected another run without --weights, got the same")
        _, back = self.train(other, "back", ranks, "--weights", trained, "--set", "lr=0", "--set", "weight_decay=0", steps=1)
        if back.read_bytes() != trained.read_bytes():
            sys.exit(f"{case}: expected the file that was loaded, got another")

    def next_loss(self):
        """Of PyTorch's trained weights, in the step behind the golden's."""
        for file in self.golden["data"].values():
            skip_rows(self.model / file, self.folder / file, self.golden["steps"] * self.golden["global_batch"], self.golden["dims"].get("seq"))
        plan = self.compile("random", "--init=normal:0.3")
        run_dir, _ = self.train(plan, "next", 1, "--weights", self.model / "final.safetensors", steps=1, data=self.folder)
        loss = losses(run_dir)[0][1]
        if not abs(loss - self.golden["next_loss"]) <= TOLERANCE:
            sys.exit(f"expected PyTorch's loss {self.golden['next_loss']}, got {loss}")
        print(f"{self.model.name}: next loss {loss:.7f}, PyTorch {self.golden['next_loss']:.7f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="decoder16")
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--precisions", nargs="*", default=["f32", "bf16", "fp8", "fp8-delayed"], choices=PRECISIONS)
    parser.add_argument("--ranks", nargs="*", type=int, default=[1, 2, 4, -3], help="processes; negative: threads")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign, total = Campaign(options.model, pathlib.Path(folder)), 0
        campaign.next_loss()
        for mode, precision, ranks in itertools.product(options.modes, options.precisions, options.ranks):
            case = f"{mode} {precision} on {ranks} ranks"
            campaign.compare(case, mode, precision, ranks)
            total += 1
    print(f"{total} cases: weights of a file are those of the plan, and return")


if __name__ == "__main__":
    main()
