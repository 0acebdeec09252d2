#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every op and pass says what it is: tablegen_docs.py --tblgen=LLVM_TBLGEN -I FOLDER... FILE.td...

Reports the records of the FILEs whose summary or description is empty, and ops whose description shows no example.
"""

import argparse
import pathlib
import sys

import tablegen_records

# Class of a record -> what must not be empty in it.
DOCUMENTED = {
    "Op": ("summary", "description"),
    "PassBase": ("summary", "description"),
    "Dialect": ("summary", "description"),
    "Interface": ("description",),
    "AttrDef": ("summary",),
    "TypeDef": ("summary",),
}


def faults_of(record):
    """What is missing from a record's documentation."""
    classes = set(record["!superclasses"])
    for base in DOCUMENTED.keys() & classes:
        yield from (f"no {field}" for field in DOCUMENTED[base] if not (record.get(field) or "").strip())
    if "Op" in classes and "```mlir" not in (record.get("description") or ""):
        yield "no example (a block fenced as mlir in its description)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tablegen_records.add_arguments(parser)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    findings = sorted(
        f"{path}:{line}: {record['!name']} has {fault}"
        for path, line, record in tablegen_records.records_in(arguments.tblgen, arguments.includes, arguments.files)
        for fault in faults_of(record))
    print("\n".join([*findings, f"tablegen_docs: {len(arguments.files)} files, {len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
