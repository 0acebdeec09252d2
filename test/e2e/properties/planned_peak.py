# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models of three sizes on 1, 2 and 4 processes and compares what the kernel says each has needed with what was planned.

usage: planned_peak.py WORK_DIR

The high-water mark is the kernel's (VmHWM), of the rank that needs most; a page that processes share counts for each of them,
in the plan as in the kernel.
"""

import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
RANKS = (1, 2, 4)
PLANNED = 0.02  # accel-run, which knows what its process took before: of what it planned
PROGRAM = 8 << 20  # accelc, which cannot know: its class "program" holds libraries and stacks of any machine
FALL = 0.03  # of what a rank needs less than alone
JUMPS = 1 << 20  # what the process itself takes (libraries, stacks, heap) differs by 0.6 MB from one run of a plan to the next
# Name, layers, width, the flag of the mode.
CASES = [("small", 2, 96, None), ("middle", 16, 128, "--fsdp"), ("large", 4, 512, "--fsdp")]


def compile_model(folder, layers, width, mode):
    with open(folder / "gpt.txt", "wb") as out:
        subprocess.run([sys.executable, TESTS / "compiler" / "make_gpt.py", str(layers), "untied", str(width)], check=True, stdout=out)
    subprocess.run([sys.executable, TESTS / "frontends" / "onnx" / "make_onnx.py", folder / "gpt.txt", folder / "gpt.onnx"], check=True)
    flags = [folder / "gpt.onnx", "--init=gpt2", *([mode] if mode else []), "--dim", "batch=1", "--global-batch=4", "--quiet"]
    subprocess.run(["accelc", *flags, "-o", folder / "plan"], check=True)
    estimate = subprocess.run(["accelc", *flags, "--estimate", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {row["ranks"]: row["total"] for row in json.loads(estimate)["ranks"]}


def train(folder, ranks, data):
    run = folder / f"run-{ranks}"
    subprocess.run(["accel-run", folder / "plan", "--data", data, "--steps=3", "--threads=1", "--quiet", "-n", str(ranks),
                    "--run-dir", run], check=True)
    last = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    return record["planned_peak_bytes"], json.loads(last)["peak_bytes"]


def check(work, case, data):
    name, layers, width, mode = case
    folder = work / name
    folder.mkdir()
    estimated = compile_model(folder, layers, width, mode)
    measured, wrong = {}, []
    for ranks in RANKS:
        planned, measured[ranks] = train(folder, ranks, data)
        got = measured[ranks]
        print(f"{name:12} {ranks} ranks: planned {planned:13,}, estimated {estimated[ranks]:13,}, measured {got:13,} bytes, "
              f"{100 * (got - planned) / planned:+.2f} % of planned")
        if abs(got - planned) > PLANNED * planned:
            wrong.append(f"{name} on {ranks} ranks: measured and planned differ by more than {PLANNED:.0%}")
        if abs(got - estimated[ranks]) > PROGRAM:
            wrong.append(f"{name} on {ranks} ranks: measured and estimated differ by more than {PROGRAM} bytes")
    for ranks in RANKS[1:] if mode else ():
        expected, got = estimated[1] - estimated[ranks], measured[1] - measured[ranks]
        if abs(got - expected) > max(FALL * expected, JUMPS):
            wrong.append(f"{name} on {ranks} ranks: {expected} bytes less than alone were planned, {got} were measured")
    return wrong


def main():
    work = pathlib.Path(sys.argv[1])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    random.seed(0)
    tokens = [random.randrange(64) for _ in range(1000)]
    (work / "data.bin").write_bytes(struct.pack("<1000H", *tokens))
    wrong = [line for case in CASES for line in check(work, case, work / "data.bin")]
    shutil.rmtree(work)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
