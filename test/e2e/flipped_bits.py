# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flips bits of the files of a checkpoint, one at a time, and checks that each is found and the file named.

usage: flipped_bits.py [--bits N] [--seed N]

Bits are taken at random from headers and tensors of all files of a checkpoint of two ranks, and put back. The default is the campaign of
docs/reliability.md. accelc, accel-run and accel-inspect are taken from PATH.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

from checkpoints import MODELS, run


def flip(path, bit):
    with open(path, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ (1 << bit % 8)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("accelc", MODELS / "decoder16" / "model.onnx", "-o", folder / "plan", "--quiet", "--fsdp", "--global-batch=8")
        run("accel-run", folder / "plan", "-n", 2, "--steps", 2, "--checkpoint-every=2", "--run-dir", folder / "run", "--quiet")
        files = sorted((folder / "run" / "checkpoints" / "step-00000002").glob("*.safetensors"))
        verify = [str(word) for word in ("accel-inspect", "run", folder / "run", "--verify")]
        for number in range(options.bits):
            path = random.choice(files)
            bit = random.randrange(8 * path.stat().st_size)
            flip(path, bit)
            done = subprocess.run(verify, check=False, capture_output=True, text=True)
            if done.returncode != 4 or path.name not in done.stdout + done.stderr:
                sys.exit(f"bit {bit} of {path.name}, number {number}: status {done.returncode}\n{done.stdout}{done.stderr}")
            flip(path, bit)
        done = subprocess.run(verify, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"the checkpoint without a flipped bit: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{options.bits} bits, all found")


if __name__ == "__main__":
    main()
