# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schema has names that no plan of today uses, so that older readers know them later: docs/plan-format.md lists them as reserved, these and
no others."""

import re

from source_tree import Finding

SCHEMA = "runtime/plan/schema"
WRITERS = ("compiler", "runtime/plan/container")
PAGE = "docs/plan-format.md"
HEADING = "## Reserved names"

ENUMERATOR = re.compile(r"^ +([A-Z][A-Z0-9_]*) = \d+;", re.MULTILINE)
NAME = re.compile(r"`([A-Z][A-Z0-9_]*)`")


def check(tree):
    page = next((file for file in tree if file.path == PAGE), None)
    if page is None:
        return
    written = "\n".join(file.code for file in tree if file.is_cpp and not file.is_test and file.under(*WRITERS))
    begin = page.text.find(HEADING)
    section = page.text[begin:].split("\n## ")[0] if begin >= 0 else ""
    reserved = set(NAME.findall(section))
    known = set()
    for file in tree:
        if file.suffix != ".proto" or not file.under(SCHEMA):
            continue
        for match in ENUMERATOR.finditer(file.text):
            name = match[1]
            known.add(name)
            is_written = re.search(rf"\b{name}\b", written) or name.endswith("_UNSPECIFIED")
            if not is_written and name not in reserved:
                yield Finding(file.path, file.line_of(match.start(1)), "schema",
                              f"'{name}': no plan has it; expected it under '{HEADING}' of {PAGE}, or no such name")
            if is_written and name in reserved:
                yield Finding(PAGE, page.line_of(page.text.find(f"`{name}`", begin)), "schema", f"'{name}': plans have it, so that it is not reserved")
    for name in sorted(reserved - known):
        yield Finding(PAGE, page.line_of(page.text.find(f"`{name}`", begin)), "schema", f"'{name}': the schema has no such name")
