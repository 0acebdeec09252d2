# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links of Markdown that lead into the tree lead somewhere: to a file or folder of it, and to a heading if they name one."""

import posixpath
import re

import markdown
from source_tree import Finding

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")
HEADING = re.compile(r"#+\s+(.+)")


def check(tree):
    files = {file.path: file for file in tree}
    folders = {posixpath.dirname(path) for path in files}
    for file in tree:
        if file.suffix != ".md":
            continue
        for number, line in unfenced(file.text):
            for link in LINK.findall(markdown.SPAN.sub("", line)):
                complaint = "" if ELSEWHERE.match(link) else _complaint(file, link, files, folders)
                if complaint:
                    yield Finding(file.path, number, "link", f"'{link}': {complaint}")


def unfenced(text):
    """Yields (number, line) of the lines that stand in no fenced block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if markdown.FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _complaint(file, link, files, folders):
    path, _, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), path)) if path else file.path
    if target not in files and target not in folders:
        return "no such file in the tree"
    if anchor and (target not in files or anchor not in anchors(files[target].text)):
        return f"{target} has no such heading"
    return ""


def anchors(text):
    """What leads to the headings of a Markdown text: words in small letters, joined by hyphens, without punctuation."""
    headings = (HEADING.fullmatch(line) for _, line in unfenced(text))
    return {re.sub(r"[^\w\- ]", "", heading[1].strip().lower()).replace(" ", "-") for heading in headings if heading}
