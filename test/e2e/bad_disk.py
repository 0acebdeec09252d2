# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends or fails a run at every operation on its checkpoints, and checks that nothing is lost.

usage: bad_disk.py kill|fail|cut [--async] [--ranks N...] [--faults FAULT...] [--every K] [--first N]

  kill   SIGKILL before each operation, and (short) in the middle of each write, of each rank in turn: no checkpoint that the run has announced is lost, the
         run goes on from it or from a newer one, to the state of a run that nothing has ended, and leaves nothing unfinished behind
  fail   EIO, ENOSPC, EROFS, EMFILE at each operation, once or (+) from then on: the run ends well with the losses of a run without faults, and there
         is an intact checkpoint unless all saves have failed

  cut    the power of the disk, an ext4 or XFS of its own, at each operation, of each rank in turn, so that nothing gets there any more; then it is mounted
         again: as kill. Needs root

The run saves each of its steps and keeps two checkpoints: the first save, later ones, and removals. The default is the campaign of docs/reliability.md.
accelc, accel-run and accel-run-on-bad-disk are taken from PATH.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from checkpoints import MODELS, losses, read_state

STEPS = 5


def detached(disk):
    """Whether no loop device has the file any more, which takes a moment."""
    for _ in range(200):
        if not subprocess.run(["losetup", "-j", disk], check=True, capture_output=True).stdout:
            return True
        time.sleep(0.05)
    return False


class BadDisk:
    def __init__(self, folder, ranks, flags):
        self.folder, self.ranks, self.flags = folder, ranks, flags
        self.plan = folder / "plan"
        if not self.plan.exists():
            done = subprocess.run(["accelc", MODELS / "mlp16" / "model.onnx", "-o", self.plan, "--quiet", "--fsdp", "--global-batch=8"], check=False)
            if done.returncode != 0:
                sys.exit("accelc failed")
        self.whole = folder / f"whole-{ranks}"
        count = folder / "count"
        count.unlink(missing_ok=True)
        done = self.run("accel-run-on-bad-disk", self.whole, [], ACCEL_FAULT_COUNT=str(count), ACCEL_FAULT_RANK="0" if ranks > 1 else "")
        self.expect(done.returncode == 0, "a run without faults", done)
        self.state = read_state(self.whole / "checkpoints" / f"step-{STEPS:08d}")
        self.losses = losses(self.whole)
        self.operations = int(count.read_text().split()[-1])

    def run(self, program, run_dir, flags, **environment):
        launch = ["-n", str(self.ranks)] if self.ranks > 1 else []
        command = [program, self.plan, "--run-dir", run_dir, "--steps", str(STEPS), "--checkpoint-every=1", "--keep=2", "--threads=1", "--timeout=20", *launch, *self.flags,
                   *flags]
        variables = {**os.environ, "ACCEL_FAULT_PATH": "checkpoints", **environment}
        return subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, env=variables, timeout=120)

    def expect(self, condition, what, done):
        if not condition:
            sys.exit(f"{self.ranks} ranks: {what}: status {done.returncode}\n{done.stdout}{done.stderr}")

    def fresh(self):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        return self.folder / "run"

    def point(self, fault, at, rank):
        return {"ACCEL_FAULT": f"{fault}@{at}", "ACCEL_FAULT_RANK": str(rank) if self.ranks > 1 else ""}

    def cut(self, fault, at, rank):
        """As kill, on a disk of its own."""
        # Another file each time: the loop device of the last one may live a moment longer.
        disk, mount = self.folder / f"disk-{fault}-{self.ranks}-{rank}-{at}", self.folder / "mount"
        mount.mkdir(exist_ok=True)
        with open(disk, "wb") as image:
            image.truncate(64 << 20 if fault == "ext4" else 320 << 20)
        subprocess.run([f"mkfs.{fault}", "-q", disk], check=True)
        subprocess.run(["mount", "-o", "loop", disk, mount], check=True)
        try:
            done = self.run("accel-run-on-bad-disk", mount / "run", [], ACCEL_FAULT_MOUNT=str(mount), **self.point("cut", at, rank))
            subprocess.run(["umount", mount], check=True)
            self.expect(detached(disk), "the loop device stays", done)
            subprocess.run(["mount", "-o", "loop", disk, mount], check=True)
            return done.returncode != 0 and self.go_on(f"{fault} cut at operation {at} of rank {rank}", mount / "run", done)
        finally:
            subprocess.run(["umount", mount], check=False)
            disk.unlink()

    def kill(self, fault, at, rank):
        """Whether there was such an operation."""
        run_dir = self.fresh()
        done = self.run("accel-run-on-bad-disk", run_dir, [], **self.point(fault, at, rank))
        return done.returncode != 0 and self.go_on(f"{fault} at operation {at} of rank {rank}", run_dir, done)

    def go_on(self, what, run_dir, done):
        announced = [int(step) for step in re.findall(r"checkpoint of step (\d+):", done.stdout + done.stderr)]
        done = self.run("accel-run", run_dir, ["--resume=auto"])
        self.expect(done.returncode == 0, f"{what}: going on", done)
        resumed = re.search(r"resume  step (\d+),", done.stdout)
        begun = int(resumed.group(1)) if resumed else 0
        self.expect(begun >= max(announced, default=0), f"{what}: announced {announced}, went on at step {begun}", done)
        self.expect(not re.search("cannot be used", done.stdout + done.stderr), f"{what}: a damaged checkpoint has a name", done)
        self.expect(losses(run_dir) == self.losses, f"{what}: other losses", done)
        last = run_dir / "checkpoints" / f"step-{STEPS:08d}"
        self.expect(read_state(last) == self.state, f"{what}: another state", done)
        # A run with nothing left to do saves nothing, and so cleans nothing up.
        left = [path.name for path in (run_dir / "checkpoints").iterdir() if path.name.startswith(".")]
        self.expect(not left or begun == STEPS, f"{what}: left behind {left}", done)
        return True

    def fail(self, fault, at, rank):
        what = f"{fault} at operation {at} of rank {rank}"
        run_dir = self.fresh()
        done = self.run("accel-run-on-bad-disk", run_dir, [], **self.point(fault, at, rank))
        self.expect(done.returncode == 0, f"{what}: the run", done)
        self.expect(losses(run_dir) == self.losses, f"{what}: other losses", done)
        announced = [int(step) for step in re.findall(r"checkpoint of step (\d+):", done.stdout + done.stderr)]
        failed = re.findall("could not be saved|could not be removed", done.stdout + done.stderr)
        # Some operations only look, as whether a name is free, and other ranks have fewer than rank 0: then nothing may be missing.
        self.expect(failed or announced == list(range(1, STEPS + 1)), f"{what}: nobody says so", done)
        if announced:
            done = self.run("accel-run", run_dir, ["--resume=auto"])
            # A newer one may be there: whole, but not announced, because its folder could not be synced.
            resumed = re.search(r"resume  step (\d+),", done.stdout)
            well = done.returncode == 0 and resumed and int(resumed.group(1)) >= announced[-1]
            self.expect(well, f"{what}: going on from step {announced[-1]}", done)
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kill", "fail", "cut"])
    parser.add_argument("--ranks", nargs="*", type=int, default=[1, 4])
    parser.add_argument("--faults", nargs="*", help="[kill: kill short, fail: EIO ENOSPC EROFS EMFILE EIO+ ENOSPC+, cut: ext4; also xfs]")
    parser.add_argument("--every", type=int, default=1, help="Kth operation only")
    parser.add_argument("--async", action="store_true", dest="in_background", help="saves in the background")
    parser.add_argument("--first", type=int, default=1, help="the first operation")
    options = parser.parse_args()
    faults = options.faults or {"kill": ["kill", "short"], "fail": ["EIO", "ENOSPC", "EROFS", "EMFILE", "EIO+", "ENOSPC+"], "cut": ["ext4"]}[options.what]
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for ranks in options.ranks:
            disk = BadDisk(pathlib.Path(folder), ranks, ["--checkpoint-async"] if options.in_background else [])
            # Rank 0 does more than others, which are alike.
            for rank in range(min(ranks, 2)):
                for fault in faults:
                    points = sum(getattr(disk, options.what)(fault, at, rank) for at in range(options.first, disk.operations + 1, options.every))
                    print(f"{ranks} ranks, {fault} at rank {rank}: {points} points, nothing lost", flush=True)
                    total += points
    print(f"{total} points, nothing lost")


if __name__ == "__main__":
    main()
