# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TableGen records are the reference: no summary or description is empty. (tablegen_docs.py asks mlir-tblgen whether every
op and pass has one.) docs/passes.md says of every pass what it is for."""

import re

from source_tree import Finding

EMPTY = re.compile(r'\blet\s+(?P<field>summary|description)\s*=\s*(?:\[\{\s*\}\]|"\s*")\s*;')

PASS = re.compile(r"^def (?P<name>\w+)Pass\b", re.MULTILINE)
PASSES_PAGE = "docs/passes.md"


def check(tree):
    yield from check_descriptions(tree)
    page = next((file for file in tree if file.path == PASSES_PAGE), None)
    if page is None:
        return
    described = set(re.findall(r"^## (\w+)$", page.text, re.MULTILINE))
    for file in tree:
        if file.name != "Passes.td" or not file.under("passes"):
            continue
        for match in PASS.finditer(file.text):
            if match["name"] not in described:
                message = f"pass {match['name']} has no section in {PASSES_PAGE}"
                yield Finding(file.path, file.line_of(match.start()), "tablegen", message)


def check_descriptions(tree):
    for file in tree:
        if file.suffix != ".td":
            continue
        for match in EMPTY.finditer(file.text):
            yield Finding(file.path, file.line_of(match.start()), "tablegen", f"empty {match['field']}")
