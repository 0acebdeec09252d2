#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every conformance case and writes what comes of it into manifest.txt: update_manifest.py BUILD [CASES-PATTERN]

Look at the difference before it is committed: a case that passed and does no more is a mistake, not a change.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MANIFEST = HERE / "manifest.txt"
HEADER = "# What comes of each of ONNX's conformance cases; update_manifest.py writes it.\n"


def read_manifest():
    if not MANIFEST.exists():
        return {}
    lines = MANIFEST.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    program = pathlib.Path(arguments[0]) / "test/bin/conformance_test"
    pattern = arguments[1] if len(arguments) > 1 else "*"
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "outcomes"
        shards = os.cpu_count() or 1
        runs = [subprocess.Popen([program, f"--gtest_filter={pattern}", "--gtest_brief=1"],
                                 env={**os.environ, "ACCEL_CONFORMANCE_OUT": f"{output}.{shard}",
                                      "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)})
                for shard in range(shards)]
        if any([run.wait() != 0 for run in runs]):
            sys.exit("update_manifest.py: the program failed; nothing is written")
        lines = [line for shard in range(shards) if pathlib.Path(f"{output}.{shard}").exists()
                 for line in pathlib.Path(f"{output}.{shard}").read_text().splitlines()]
    known = read_manifest()
    for line in sorted(lines):
        name, text = line.split(": ", 1)
        outcome, _, detail = text.partition(" | ")
        if known.get(name) != outcome:
            print(f"{name}: {known.get(name, 'new')} -> {outcome} | {detail}")
        known[name] = outcome
    MANIFEST.write_text(HEADER + "".join(f"{name}: {known[name]}\n" for name in sorted(known)))
    passed = sum(text.startswith("pass") for text in known.values())
    print(f"{passed} of {len(known)} pass")


if __name__ == "__main__":
    main(sys.argv[1:])
