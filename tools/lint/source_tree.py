# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree that the lint reads: which files belong to it, their text, and C++ without comments and strings."""

import dataclasses
import functools
import os
import pathlib
import subprocess

CPP_SUFFIXES = {".h", ".cpp", ".cc", ".cu", ".cuh"}


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """A place that breaks a rule, and what to do about it."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


class SourceFile:
    """One text file of the tree; `path` is relative to its root, with slashes."""

    def __init__(self, root, path):
        self.path = path
        self.parts = tuple(path.split("/"))
        self.name = self.parts[-1]
        self.stem, self.suffix = os.path.splitext(self.name)
        self._absolute = root / path

    @property
    def top(self):
        """The top folder, or "" for a file that lies in none."""
        return self.parts[0] if len(self.parts) > 1 else ""

    def under(self, *folders):
        """Whether the file lies in one of the folders, given relative to the root."""
        return any(self.path.startswith(folder + "/") for folder in folders)

    @property
    def is_cpp(self):
        return self.suffix in CPP_SUFFIXES

    @property
    def is_test(self):
        return self.top == "test" or self.stem.endswith("_test")

    @functools.cached_property
    def text(self):
        data = self._absolute.read_bytes()
        return "" if b"\0" in data[:8192] else data.decode("utf-8", errors="replace")

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @functools.cached_property
    def code(self):
        """The text with comments, strings and characters blanked out; lines and columns stay."""
        return blank_comments_and_strings(self.text)

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def load_tree(root):
    """Returns the files of the tree at `root` in a fixed order: what git tracks or would track; outside git, everything."""
    root = pathlib.Path(root)
    if (root / ".git").exists():
        listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                 stdout=subprocess.PIPE, check=True)
        paths = [path for path in listing.stdout.decode().split("\0") if path]
    else:
        paths = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        paths = [path for path in paths if not path.startswith(("build/", "."))]
    return [SourceFile(root, path) for path in sorted(set(paths)) if (root / path).is_file()]


def blank_comments_and_strings(text):
    """Replaces comments and literals of C++ by blanks, newlines excepted."""
    out = []
    position = 0
    while position < len(text):
        end = _literal_end(text, position)
        if end == position:
            out.append(text[position])
            position += 1
        else:
            out.append("".join(c if c == "\n" else " " for c in text[position:end]))
            position = end
    return "".join(out)


def _literal_end(text, start):
    """Where the comment or literal that begins at `start` ends; `start` if none begins there."""
    pair = text[start:start + 2]
    if pair == "//":
        return _find(text, "\n", start)
    if pair == "/*":
        return _find(text, "*/", start + 2, skip=2)
    if pair == 'R"' and not _continues_a_word(text, start):
        delimiter = text[start + 2:_find(text, "(", start + 2)]
        return _find(text, ")" + delimiter + '"', start + 2, skip=len(delimiter) + 2)
    if text[start] == '"':
        return _quoted_end(text, start, '"')
    if text[start] == "'" and not _continues_a_word(text, start):  # not the separator of 1'000
        return _quoted_end(text, start, "'")
    return start


def _continues_a_word(text, start):
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_")


def _find(text, what, start, skip=0):
    found = text.find(what, start)
    return len(text) if found < 0 else found + skip


def _quoted_end(text, start, quote):
    position = start + 1
    while position < len(text) and text[position] not in (quote, "\n"):
        position += 2 if text[position] == "\\" else 1
    return min(position + 1, len(text))
