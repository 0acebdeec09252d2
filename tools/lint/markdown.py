# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes code out of Markdown: fenced blocks with their language, and the code spans between them, each with its line."""

import dataclasses
import re

FENCE = re.compile(r"^(?P<indent>\s*)```\s*(?P<language>[\w+-]*)\s*$")
SPAN = re.compile(r"`([^`\n]+)`")


@dataclasses.dataclass(frozen=True)
class Code:
    line: int  # of the first line of `text`, from 1
    language: str  # "" also where none is given
    text: str
    fenced: bool


def code_in(text):
    """Returns every fenced block and code span of a Markdown text, in order."""
    found = []
    block = None  # (first line, language, lines) of the open fence
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if block is None and fence:
            block = (number + 1, fence["language"], [])
        elif block is not None and fence:
            found.append(Code(block[0], block[1], "\n".join(block[2]) + "\n", True))
            block = None
        elif block is not None:
            block[2].append(line)
        else:
            found += [Code(number, "", span, False) for span in SPAN.findall(line)]
    return found
