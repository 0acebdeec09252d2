#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that messages which documentation quotes are what programs print: doc_messages.py --said=FILE DOCUMENT

In each table of the Markdown DOCUMENT whose first heading is `it says` or `error`, the first cell of a row is a message as
a code span; ` ...` in it stands for anything. It must be part of a line of FILE, which holds what programs have printed.
"""

import argparse
import pathlib
import re
import sys

HEADINGS = ("it says", "error")
SPAN = re.compile(r"`([^`]+)`")


def messages_in(text):
    """Yields (line, first cell) of each row of the tables of messages."""
    heading = None  # the first heading of the table in which we are
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            heading = None
            continue
        cell = line.split("|")[1].strip()
        if heading is None:
            heading = cell
        elif heading in HEADINGS and cell.strip("-"):
            yield number, cell


def finding(cell, said):
    """What is wrong with a row's first cell, or ""."""
    span = SPAN.fullmatch(cell)
    if span is None:
        return f"expected a message as a code span, got '{cell}'"
    pattern = ".*".join(re.escape(part.strip()) for part in span[1].split("..."))
    return "" if re.search(pattern, said) else f"nothing prints this any more: {span[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--said", required=True, type=pathlib.Path, help="what programs have printed")
    parser.add_argument("document", type=pathlib.Path)
    arguments = parser.parse_args()
    said = arguments.said.read_text(encoding="utf-8")
    rows = list(messages_in(arguments.document.read_text(encoding="utf-8")))
    findings = [(line, finding(cell, said)) for line, cell in rows if finding(cell, said)]
    for line, what in findings:
        print(f"{arguments.document}:{line}: {what}")
    print(f"doc_messages: {len(rows)} messages, {len(findings)} findings")
    return 1 if findings or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
