# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one rank alone finds wrong, all ranks act on: checkpoint_votes.py. accelc, accel-run and accel-run-on-bad-disk are taken from PATH."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from checkpoints import MODELS

RANKS, STEPS = 2, 3


def run(folder, *flags, program="accel-run", **environment):
    command = [program, folder / "plan", "-n", RANKS, "--run-dir", folder / "run", "--threads=1", "--timeout=20", *flags]
    return subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def expect(condition, what, done):
    if not condition:
        sys.exit(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


def flip_last_bit(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def damaged_files(folder):
    """Each rank reads one of the files; whichever is damaged, all take the checkpoint before it."""
    for rank in range(RANKS):
        shutil.rmtree(folder / "run", ignore_errors=True)
        done = run(folder, "--steps", STEPS, "--checkpoint-every=1")
        expect(done.returncode == 0, "a run", done)
        flip_last_bit(folder / "run" / "checkpoints" / f"step-{STEPS:08d}" / f"state-{rank:05d}-of-{RANKS:05d}.safetensors")
        done = run(folder, "--steps", STEPS + 1, "--resume=auto")
        named = re.findall(rf"the checkpoint of step {STEPS} cannot be used: rank {rank}: '.*': the data at .* are not those that were written", done.stderr)
        expect(done.returncode == 0 and f"resume  step {STEPS - 1}," in done.stdout and len(named) == 1, f"damaged for rank {rank}", done)


def no_list(folder):
    """Only rank 0 lists checkpoints; where it cannot, all end, and each knows why: its log has nothing else."""
    shutil.rmtree(folder / "run" / "checkpoints")
    (folder / "run" / "checkpoints").write_text("")
    logs = folder / "logs"
    done = run(folder, "--steps", STEPS, "--resume=auto", "--log-dir", logs)
    expect(done.returncode == 4 and len(re.findall("^error: ", done.stderr, re.MULTILINE)) == 1, "no list of checkpoints", done)
    for rank in range(RANKS):
        log = (logs / f"rank-{rank}.log").read_text(encoding="utf-8")
        expect("Not a directory" in log and log.count("error: ") == 1, f"no list of checkpoints: the log of rank {rank} is\n{log}", done)


def failed_save(folder, what, path):
    """The disk of rank 0 fails once where the last checkpoint gets `what`: no rank has saved it, which costs a warning, and all end well."""
    shutil.rmtree(folder / "run", ignore_errors=True)
    done = run(folder, "--steps", STEPS, "--checkpoint-every=1", program="accel-run-on-bad-disk", ACCEL_FAULT="EIO@1", ACCEL_FAULT_RANK="0",
               ACCEL_FAULT_PATH=path)
    said = re.findall(rf"the checkpoint of step {STEPS} could not be saved, training goes on: rank 0: ", done.stderr)
    expect(done.returncode == 0 and said, f"a checkpoint without its {what}", done)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["accelc", MODELS / "mlp16" / "model.onnx", "-o", folder / "plan", "--quiet", "--fsdp", "--global-batch=8"], check=True)
        failed_save(folder, "folder", f".new-step-{STEPS:08d}")
        failed_save(folder, "manifest", f"step-{STEPS:08d}/.MANIFEST")
        damaged_files(folder)
        no_list(folder)
    print("all ranks have acted alike")


if __name__ == "__main__":
    main()
