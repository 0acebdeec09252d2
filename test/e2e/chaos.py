# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains under faults that come one after the other, and checks that the run ends with the bits of one without faults.

usage: chaos.py [--minutes M | --faults N] [--every SECONDS] [--timeout SECONDS] [--ranks N] [--mode MODE] [--async] [--seed N]

  kill     SIGKILL of a random rank
  stop     SIGSTOP of a random rank, which the others find out after --timeout
  EIO, ENOSPC  every operation on the run directory fails, of all ranks, for two seconds
  slow     every one takes 30 ms longer, for two seconds

The faults come in this order first and at random later, each --every seconds after training has recovered from the one before. One accel-run does
it all: it saves every second and restarts by itself (--max-restarts 2, without a new checkpoint in between). At the end it is asked to stop; then a run
without faults takes as many steps. Losses, gradient norms and learning rates of all steps and the state are compared, bit by bit. docs/reliability.md
has figures. accelc, accel-run and accel-run-on-bad-disk are taken from PATH.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from checkpoints import MODELS, MODES, read_state

KINDS = ["kill", "stop", "EIO", "ENOSPC", "slow"]
HOLD = 2.0  # seconds that a disk is bad
PATIENCE = 300.0  # seconds for what takes one or two
RESTARTS = 2  # without a new checkpoint


class Chaos:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.now = folder / "now"
        self.now.write_text("")
        self.metrics = folder / "run" / "metrics.jsonl"
        self.plan = folder / "plan"
        compiled = subprocess.run(["accelc", MODELS / "gpt2" / "model.onnx", "-o", self.plan, "--quiet", "--dim", "batch=2", "--global-batch=8",
                                   *MODES[options.mode]], check=False)
        if compiled.returncode != 0:
            sys.exit("accelc failed")

    def command(self, program, run_dir, *flags):
        launch = ["-n", str(self.options.ranks)] if self.options.ranks > 1 else []
        words = [program, self.plan, "--data", MODELS / "gpt2" / "data.bin", "--run-dir", run_dir, "--threads=1", "--quiet", *launch, *flags]
        return [str(word) for word in words]

    def start(self):
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        command = self.command("accel-run-on-bad-disk", self.folder / "run", "--steps=100000000", "--checkpoint-every=1s", f"--max-restarts={RESTARTS}", f"--timeout={self.options.timeout}",
                               *self.options.saves)
        environment = {**os.environ, "ACCEL_FAULT_PATH": str(self.folder / "run"), "ACCEL_FAULT_NOW": str(self.now)}
        self.run = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)

    def said(self):
        return (self.folder / "log").read_text(encoding="utf-8")

    def fail(self, what):
        self.run.kill()
        sys.exit(f"{what}\n{self.said()[-4000:]}")

    def last_line(self):
        """Of the metrics, as (run, step); nothing before the first."""
        try:
            with open(self.metrics, "rb") as file:
                file.seek(max(0, os.path.getsize(self.metrics) - 4096))
                lines = [line for line in file.read().split(b"\n")[:-1] if line.startswith(b"{") and line.endswith(b"}")]
            line = json.loads(lines[-1])
            return line["run"], line["step"]
        except (OSError, IndexError):
            return None

    def wait_for(self, what, ready):
        end = time.monotonic() + PATIENCE
        while not ready():
            if self.run.poll() is not None:
                self.fail(f"the run has ended with status {self.run.returncode} while the test waited for {what}")
            if time.monotonic() > end:
                self.fail(f"waited {PATIENCE:.0f} s for {what}")
            time.sleep(0.02)

    def ranks(self):
        try:
            children = pathlib.Path(f"/proc/{self.run.pid}/task/{self.run.pid}/children").read_text().split()
        except OSError:
            return []
        return [int(pid) for pid in children]

    def hit(self, kind):
        before = self.last_line()
        if kind in ("kill", "stop"):
            os.kill(random.choice(self.ranks()), signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
            self.wait_for(f"a restart after {kind}", lambda: self.last_line() is not None and self.last_line()[0] != before[0])
            return
        self.now.write_text(kind)
        time.sleep(HOLD)
        self.now.write_text("")
        self.wait_for(f"steps after {kind}", lambda: self.last_line()[1] > before[1])

    def torment(self):
        counts = dict.fromkeys(KINDS, 0)
        began = time.monotonic()
        number = 0
        self.wait_for("the first step", lambda: self.last_line() is not None)
        while number < self.options.faults if self.options.faults else time.monotonic() - began < 60 * self.options.minutes:
            # So that each restart has a checkpoint of its own, whatever the machine's speed.
            saved = self.said().count("checkpoint of step")
            time.sleep(self.options.every)
            self.wait_for("a checkpoint", lambda: self.said().count("checkpoint of step") > saved)
            kind = KINDS[number] if number < len(KINDS) else random.choice(KINDS)
            self.hit(kind)
            counts[kind] += 1
            number += 1
        seconds = time.monotonic() - began
        self.run.terminate()
        status = self.run.wait(PATIENCE)
        if status != 128 + signal.SIGTERM:
            self.fail(f"expected the status of SIGTERM at the end, got {status}")
        return counts, seconds

    def numbers(self, run_dir):
        lines = [json.loads(line) for line in (run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
        return [(line["step"], line["loss"], line["grad_norm"], line["lr"], line["tokens"]) for line in lines]

    def compare(self):
        """The step of the end, and how long a run without faults takes for as many."""
        got = self.numbers(self.folder / "run")
        steps = len(got)
        began = time.monotonic()
        whole = self.folder / "whole"
        done = subprocess.run(self.command("accel-run", whole, f"--steps={steps}", "--checkpoint-every=1s", "--max-restarts=0"), check=False, capture_output=True, text=True)
        seconds = time.monotonic() - began
        if done.returncode != 0:
            sys.exit(f"a run without faults: status {done.returncode}\n{done.stdout}{done.stderr}")
        if self.numbers(whole) != got:
            sys.exit("other numbers in the metrics than those of a run without faults")
        name = pathlib.Path("checkpoints") / f"step-{steps:08d}"
        if read_state(self.folder / "run" / name) != read_state(whole / name):
            sys.exit("another state than that of a run without faults")
        return steps, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--faults", type=int, help="so many in place of --minutes")
    parser.add_argument("--every", type=float, default=5)
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--mode", choices=list(MODES), default="fsdp")
    parser.add_argument("--async", action="store_const", const=["--checkpoint-async"], default=[], dest="saves", help="saves in the background")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        chaos = Chaos(pathlib.Path(folder), options)
        chaos.start()
        try:
            counts, seconds = chaos.torment()
        finally:
            chaos.run.kill()
        said = chaos.said()
        steps, undisturbed = chaos.compare()
        restarts, failed = len(re.findall(rf"; restart \d of {RESTARTS} in ", said)), said.count("could not be saved")
    print(f"{seconds:.0f} s: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()) + f"; {restarts} restarts, {failed} failed saves; "
          f"{steps} steps, which take {undisturbed:.0f} s without faults: the same bits")


if __name__ == "__main__":
    main()
