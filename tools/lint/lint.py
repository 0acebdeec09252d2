#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of docs/style.md that a program can check: tools/lint/lint.py [--root FOLDER]

Prints one line per finding, FILE:LINE: RULE: MESSAGE, and exits with 1 if there is any.
"""

import argparse
import pathlib
import sys

import devices
import files
import layers
import ledger
import links
import schema
import seams
import source_tree
import tablegen
import targets
import verifiers
import versions
import words

RULES = (devices, files, layers, ledger, links, schema, seams, tablegen, targets, verifiers, versions, words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], help="the tree to check")
    tree = source_tree.load_tree(parser.parse_args().root)
    findings = sorted(finding for rule in RULES for finding in rule.check(tree))
    for finding in findings:
        print(finding)
    print(f"lint: {len(tree)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
