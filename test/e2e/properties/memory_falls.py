# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains one fsdp plan on 1, 2 and 4 processes and compares how the memory of a rank falls with what the estimate says.

usage: memory_falls.py WORK_DIR

What a process needs besides its plan is not planned, and hardly depends on the number of ranks: program, libraries, and from two
ranks on the staging of collectives. So differences are compared. The high-water mark is the kernel's (VmHWM), of the rank that needs most.
"""

import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 0.03  # of the difference, and
SLACK = 4 << 20  # two pieces of the largest segment per rank are staged, 0.8 MB each


def main():
    work = pathlib.Path(sys.argv[1])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with open(work / "gpt.txt", "wb") as out:
        subprocess.run([sys.executable, TESTS / "compiler" / "make_gpt.py", "24", "untied", "128"], check=True, stdout=out)
    subprocess.run([sys.executable, TESTS / "frontends" / "onnx" / "make_onnx.py", work / "gpt.txt", work / "gpt.onnx"],
                   check=True)
    random.seed(0)
    tokens = [random.randrange(64) for _ in range(1000)]
    (work / "data.bin").write_bytes(struct.pack("<1000H", *tokens))
    flags = [work / "gpt.onnx", "--init=gpt2", "--fsdp", "--dim", "batch=1", "--global-batch=4", "--quiet"]
    subprocess.run(["accelc", *flags, "-o", work / "plan"], check=True)
    estimate = json.loads(subprocess.run(["accelc", *flags, "--estimate", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    planned = {row["ranks"]: row["total"] for row in estimate["ranks"]}
    measured = {}
    for ranks in (1, 2, 4):
        run = work / f"run-{ranks}"
        subprocess.run(["accel-run", work / "plan", "--data", work / "data.bin", "--steps=3", "--threads=1", "--quiet", "-n",
                        str(ranks), "--run-dir", run], check=True)
        last = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1]
        measured[ranks] = json.loads(last)["peak_bytes"]
    for ranks in (2, 4):
        expected, got = planned[1] - planned[ranks], measured[1] - measured[ranks]
        print(f"{ranks} ranks: {expected:,} bytes less planned, {got:,} measured")
        if abs(got - expected) > TOLERANCE * expected + SLACK:
            sys.exit(f"expected them to agree within 3 % and 4 MiB; planned {planned}, measured {measured}")


if __name__ == "__main__":
    main()
