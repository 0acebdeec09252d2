# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for every file: its licence line, its length, its name, and nothing in it that is true of one machine only."""

import re

from source_tree import Finding

MAX_LINES = 600
MAX_MAIN_LINES = 25
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
WITH_SPDX = {".h", ".cpp", ".cc", ".cu", ".cuh", ".td", ".proto", ".py"}
MEASURED = WITH_SPDX | {".mlir", ".test", ".cmake", ".sh"}
# Names that say nothing about what a file holds.
VAGUE = {"util", "utils", "utility", "utilities", "helper", "helpers", "common", "misc", "miscellaneous"}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Where people keep their own files; a path that begins there exists on one machine only. (user is nobody's name.)
PRIVATE_ROOTS = ("home", "root", "Users", "work")
PRIVATE_PATH = re.compile(r"(?<![\w.})*\]-])/(?!home/user/)(?:%s)(?:/|(?=[\s\"'`]))" % "|".join(PRIVATE_ROOTS))
UNTRACKED_TODO = re.compile(r"\b(?:TO" r"DO(?!\(#\d+\))|FIX" r"ME|X" r"XX)\b")
MAIN = re.compile(r"^int main\(.*?^}", re.MULTILINE | re.DOTALL)


def check(tree):
    for file in tree:
        yield from _name(file)
        if not file.text or file.path == "LICENSE":
            continue
        yield from _licence(file)
        yield from _length(file)
        yield from _words(file)


def _name(file):
    for part in file.parts:
        stem = part.split(".")[0]
        vague = [word for word in WORD.findall(stem) if word.lower() in VAGUE]
        if vague:
            yield Finding(file.path, 1, "name", f"'{part}': name what it holds, not '{vague[0]}'")


def _licence(file):
    script = file.suffix == "" and file.text.startswith("#!")
    if (file.suffix in WITH_SPDX or script) and not any(SPDX in line for line in file.lines[:3]):
        yield Finding(file.path, 1, "licence", f"expected '{SPDX}' in the first three lines")


def _length(file):
    if file.suffix in MEASURED and len(file.lines) > MAX_LINES:
        yield Finding(file.path, MAX_LINES + 1, "length", f"{len(file.lines)} lines, at most {MAX_LINES}: split the file")
    if file.top == "tools" and file.is_cpp:
        for match in MAIN.finditer(file.text):
            lines = match[0].count("\n") + 1
            if lines > MAX_MAIN_LINES:
                yield Finding(file.path, file.line_of(match.start()), "main", f"{lines} lines, at most {MAX_MAIN_LINES}")


def _words(file):
    if file.under("test/lint"):
        return
    for number, line in enumerate(file.lines, 1):
        path = PRIVATE_PATH.search(line)
        if path:
            yield Finding(file.path, number, "private-path", f"'{path[0]}' exists on one machine only")
        todo = UNTRACKED_TODO.search(line)
        if todo:
            yield Finding(file.path, number, "todo", f"'{todo[0]}' without an issue, TO" "DO(#123)")
