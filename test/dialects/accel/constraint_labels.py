#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every numbered constraint of every op is verified and violated: constraint_labels.py --tblgen=LLVM_TBLGEN
-I FOLDER... --sources FOLDER... --tests FOLDER FILE.td...

Constraint (C2) of the op `slice` has the label `slice_c2`: in a comment of the verifier, which lies below the folders of
sources, and in an invalid*.mlir below that of tests. Every op appears in an ops*.mlir.
"""

import argparse
import pathlib
import re
import sys

import tablegen_records

CONSTRAINT = re.compile(r"\(C(\d+)\)")


def text_of(folder, pattern):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob(pattern)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tablegen_records.add_arguments(parser)
    parser.add_argument("--sources", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--tests", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    verifiers = "\n".join(text_of(folder, "*.cpp") for folder in arguments.sources)
    violations = text_of(arguments.tests, "invalid*.mlir")
    round_trips = text_of(arguments.tests, "ops*.mlir")
    count, findings = 0, []
    for path, line, record in tablegen_records.records_in(arguments.tblgen, arguments.includes, arguments.files):
        if "Op" not in record["!superclasses"]:
            continue
        place = f"{path}:{line}: {record['!name']}"
        name = record["opName"]
        if not re.search(rf"\w\.{name} ", round_trips):
            findings.append(f"{place}: no round trip of '{name}'")
        for number in sorted(set(CONSTRAINT.findall(record["description"] or ""))):
            count += 1
            label = f"{name}_c{number}"
            for text, what in ((verifiers, "verifier"), (violations, "test")):
                if not re.search(rf"\b{label}(?![0-9])", text):
                    findings.append(f"{place}: no {what} has the label '{label}'")
    print("\n".join([*findings, f"constraint_labels: {count} constraints, {len(findings)} findings"]))
    return 1 if findings or not count else 0


if __name__ == "__main__":
    sys.exit(main())
