# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Excerpts of a command's output in Markdown: where they stand, and what of the output they keep.

An excerpt is a fenced block behind a comment that says where it comes from:

    <!-- excerpt: accelc model.onnx --compile-to=import
    /func.func @forward/ +3
    /accel.relu/
    /accel.relu/ to /return/
    width 60
    -->

A line of the comment keeps the next line of the output that matches a regular expression; `+N` keeps N lines more, `to`
all lines up to the next that matches a second one. Lines are cut at 130 characters, or at those of a line `width N`. What
is left out is shown as ` ...`. A comment with nothing but the command keeps everything.
"""

import dataclasses
import re

import markdown

COMMENT = re.compile(r"<!-- excerpt: (.*?)\n?-->\n", re.DOTALL)
SELECTOR = re.compile(r"/(?P<first>.+?)/(?: \+(?P<more>\d+)| to /(?P<last>.+)/)?")
DEFAULT_WIDTH = 130
WIDTH = re.compile(r"width (\d+)")


class BadExcerpt(Exception):
    """An excerpt's comment that cannot be followed, and why."""


@dataclasses.dataclass(frozen=True)
class Excerpt:
    line: int  # of the comment, from 1
    command: str
    selectors: tuple
    block: markdown.Code  # what stands in the document


def excerpts_in(text):
    """Returns the excerpts of a Markdown text, in order."""
    blocks = {code.line: code for code in markdown.code_in(text) if code.fenced}
    found = []
    for comment in COMMENT.finditer(text):
        line = text.count("\n", 0, comment.start()) + 1
        after = text.count("\n", 0, comment.end()) + 2  # the comment's next line is the fence, the block begins behind it
        command, *selectors = comment[1].splitlines()
        if after not in blocks:
            raise BadExcerpt(f"{line}: expected a fenced block directly behind the excerpt's comment")
        found.append(Excerpt(line, command, tuple(selectors), blocks[after]))
    return found


def shorten(excerpt, output):
    """What `excerpt` keeps of its command's output."""
    lines = output.splitlines()
    widths = [int(WIDTH.fullmatch(rule)[1]) for rule in excerpt.selectors if WIDTH.fullmatch(rule)]
    selectors = [rule for rule in excerpt.selectors if not WIDTH.fullmatch(rule)]
    kept = _kept(excerpt, selectors, lines) if selectors else list(range(len(lines)))
    shown = []
    previous = -1
    for number in kept:
        if number > previous + 1:
            shown.append(_indentation(lines[number]) + "...")
        shown.append(lines[number])
        previous = number
    if previous + 1 < len(lines):
        shown.append(_indentation(lines[previous]) + "...")
    return "".join(_cut(line, min(widths, default=DEFAULT_WIDTH)) + "\n" for line in shown)


def _kept(excerpt, selectors, lines):
    kept = []
    position = 0
    for rule in selectors:
        selector = SELECTOR.fullmatch(rule)
        if selector is None:
            raise BadExcerpt(f"{excerpt.line}: expected '/A/', '/A/ +N', '/A/ to /B/' or 'width N', got '{rule}'")
        first = _next(excerpt, lines, position, selector["first"])
        last = first + int(selector["more"] or 0)
        if selector["last"]:
            last = _next(excerpt, lines, first + 1, selector["last"])
        position = min(last + 1, len(lines))
        kept += range(first, position)
    return kept


def _next(excerpt, lines, position, pattern):
    for number in range(position, len(lines)):
        if re.search(pattern, lines[number]):
            return number
    raise BadExcerpt(f"{excerpt.line}: no line behind the ones before matches /{pattern}/ in what this prints: "
                     f"{excerpt.command}")


def _indentation(line):
    return line[:len(line) - len(line.lstrip())]


def _cut(line, width):
    return line if len(line) <= width else line[:width - 4].rstrip() + " ..."
