#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every conformance case and writes what comes of it into manifest.txt and docs/conformance.md.

update_manifest.py BUILD [CASES-PATTERN]   runs the cases, or those whose test names match
update_manifest.py BUILD --check-docs      says whether docs/conformance.md is what the manifest gives

Look at the difference before it is committed: a case that passed and does no more is a mistake, not a change.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MANIFEST = HERE / "manifest.txt"
DOCS = HERE.parent.parent / "docs/conformance.md"
HEADER = "# What comes of each of ONNX's conformance cases; update_manifest.py writes it.\n"

PAGE = """# Conformance with ONNX

This page is written by `test/onnx/update_manifest.py` of what comes of ONNX 1.23.2's own cases: every one is compiled with
`accelc --inference`, run, and its outputs compared with the case's within 1e-3 of each number (two units of the last place of 16-bit
floats; of a spectrum also within 1e-6 of its largest number, as zeros in ONNX's are what rounding left). A test fails if anything else comes of a case than `test/onnx/manifest.txt` says, also if it is better.

Gradients have no cases in ONNX. Of every case that passes and takes and gives floats, the gradient of its outputs, times numbers that
look random, by up to 24 elements of each input and each weight (6 where one has more than 32,768) is compared with central differences,
both in double. 16-bit floats are wider there, because differences of rounded numbers say nothing. An element at a kink or a jump has
no difference, and an output that is infinite or NaN is left out. The networks of the suite light are not differentiated: the
interpreter takes minutes for each number.

All elements of the same gradients are then compared with what compiled code computes in f32: the gradient's program is compiled as one
that answers, through all phases behind differentiation. The two may differ by 16 times what the interpreter loses when it rounds each
result to f32, because functions are wrong by some units of the last place; by 5e-5 of the input's largest number, because sums of
thousands of terms are f32, too; by 1e-6 of the case's largest number, for slopes that cancel out; and by 3e-8, for tanh near 1.
The test does so for the first two cases of each operator and every eighth; `update_manifest.py` and `ACCEL_CONFORMANCE_COMPILED=all` for all.
"""
GRADIENTS = """
Cases of all suites that pass and have no gradient to compare. A gradient is NaN where the graph has a softmax over nothing but -inf
and replaces its NaN afterwards: 0 times NaN goes backward, in PyTorch, too.
"""
TABLE = """
Operator by operator, in the node suite. *Cases* pass forward; of so many *gradients* were compared and are right. What keeps others from
passing is a code ([diagnostics.md](diagnostics.md)), a type that the importer does not have, or that the case is one of random numbers.
Of sets before 13, which are read as 13, 6 to 12 are accepted where an operator has them. Shapes are static: inputs that say of what shape or along which axis something is are bound (`--bind`).

| operator | sets | cases | gradients | what else comes of cases |
|---|---|---|---:|---|"""


def read_manifest():
    if not MANIFEST.exists():
        return {}
    lines = MANIFEST.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


def summarize(outcomes):
    """The rows of one operator: passed, with a gradient that was compared, all, and why others do not pass."""
    passed = [text for text in outcomes if text.startswith("pass")]
    right = sum("gradient right" in text for text in passed)
    reasons = collections.Counter(text for text in outcomes if not text.startswith("pass"))
    limits = ", ".join(f"{text} ({count})" for text, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    return len(passed), right, len(outcomes), limits


def make_page(known, build):
    """docs/conformance.md."""
    listing = subprocess.run([pathlib.Path(build) / "bin/accelc", "--list-ops", "--json"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    sets = collections.defaultdict(list)
    for entry in json.loads(listing):
        sets[entry["name"]] += [entry["first_opset"], entry["last_opset"]]
    outcomes, suites = collections.defaultdict(list), collections.defaultdict(list)
    for key, text in known.items():
        name, operator = key.split()
        suites[name.split("/")[0]].append(text)
        if name.startswith("node/"):
            outcomes[operator].append(text)
    lines = [PAGE]
    lines.append("| suite | cases | pass | gradients |\n|---|---:|---:|---:|")
    for suite, texts in sorted(suites.items()):
        passed, right, count, _ = summarize(texts)
        lines.append(f"| {suite} | {count} | {passed} | {right or '-'} |")
    lines.append(GRADIENTS)
    lines.append("| why | cases |\n|---|---:|")
    texts = [text for text in known.values() if text.startswith("pass") and "gradient right" not in text]
    reasons = collections.Counter(text.split("; ", 1)[1] for text in texts)
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        lines.append(f"| {reason} | {count} |")
    lines.append(TABLE)
    for operator in sorted(set(sets) | set(outcomes) - {"-"}):
        passed, right, count, limits = summarize(outcomes[operator])
        known_sets = f"{min(sets[operator])}-{max(sets[operator])}" if sets[operator] else "-"
        cases = f"{passed} of {count}" if count else "no case"
        lines.append(f"| {operator} | {known_sets} | {cases} | {right or '-'} | {limits} |")
    return "\n".join(lines) + "\n"


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    if arguments[1:] == ["--check-docs"]:
        if DOCS.read_text() != make_page(read_manifest(), arguments[0]):
            sys.exit(f"{DOCS.name}: expected what manifest.txt gives; run test/onnx/update_manifest.py BUILD 'none'")
        return
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
    DOCS.write_text(make_page(known, arguments[0]))
    passed = sum(text.startswith("pass") for text in known.values())
    print(f"{passed} of {len(known)} pass")


if __name__ == "__main__":
    main(sys.argv[1:])
