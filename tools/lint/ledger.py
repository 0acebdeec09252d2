# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ledger of assumptions (docs/assumptions.md) says what is there: its columns `check` and `test` name files of the
tree, and words that stand in those files.

In either column a code span that begins with a top folder is a path; any other span belongs to the path before it and
must occur in that file. In the column `test` a span Suite.Case is a GoogleTest case, enabled; a lit test must run.
"""

import re

from markdown import SPAN
from source_tree import Finding

LEDGER = "docs/assumptions.md"
# Rows of each system that was read: A1 ... A10, and so on.
ROWS = {"A": 10, "N": 13, "D": 13, "M": 10}
COLUMNS = 6
ROW = re.compile(r"^\|\s*([A-Z]\d+)!?\s*\|")
CASE = re.compile(r"^([A-Z]\w*)\.([A-Z]\w*)$")
SWITCHED_OFF = re.compile(r"^\W*REQUIRES:.*\bpending\b|^\W*(?:UNSUPPORTED|XFAIL):", re.MULTILINE)


def check(tree):
    files = {file.path: file for file in tree}
    if LEDGER not in files:
        return
    seen = []
    for number, line in enumerate(files[LEDGER].lines, 1):
        row = ROW.match(line)
        if row:
            seen.append(row[1])
            yield from (Finding(LEDGER, number, "ledger", f"{row[1]}: {message}") for message in _row(line, files))
    expected = [f"{system}{number}" for system, count in ROWS.items() for number in range(1, count + 1)]
    if seen != expected:
        missing = [row for row in expected if row not in seen] or ["none"]
        yield Finding(LEDGER, 1, "ledger", f"expected {len(expected)} rows in order, got {len(seen)}; missing: "
                      + ", ".join(missing))


def _row(line, files):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if len(cells) != COLUMNS:
        yield f"expected {COLUMNS} cells, got {len(cells)}"
        return
    checks, tests = cells[4:]
    if bool(checks) != bool(tests):
        yield f"expected a check and a test, or neither; got no {'check' if tests else 'test'}"
    for column, cell in (("check", checks), ("test", tests)):
        spans = SPAN.findall(cell)
        if cell and not any("/" in span for span in spans):
            yield f"{column}: expected a path, got none"
        yield from (f"{column}: {message}" for message in _spans(spans, files, column == "test"))


def _spans(spans, files, tests):
    tops = {file.top for file in files.values()}
    current = None
    for span in spans:
        if span.split("/")[0] in tops and "/" in span:
            current = files.get(span)
            if current is None:
                yield f"'{span}' is not a file of the tree"
            elif tests and not current.is_test:
                yield f"'{span}' is not a test"
            elif tests and SWITCHED_OFF.search(current.text):
                yield f"'{span}' is switched off"
        elif current is None:
            yield f"'{span}' follows no file"
        elif not _stands_in(span, current, tests):
            yield f"'{span}' does not occur in {current.path}"


def _stands_in(span, file, tests):
    case = CASE.match(span) if tests and file.is_cpp else None
    if case:
        return re.search(r"\bTEST(?:_F|_P)?\(\s*%s\s*,\s*%s\s*\)" % case.groups(), file.text) is not None
    return span in file.text
