#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands that documentation shows, and compares the output that it shows: doc_commands.py [OPTION...] FILE...

In each Markdown FILE every line of a block fenced as `sh` is a command, and so is a code span that could be typed as it
is: a program of ours with an operand, without a word in capitals, or the path of a script. They run in order, each once,
in one empty folder in which `test` and `build/release` are what they are in the repository, with our programs in the PATH.
Each must succeed. A block fenced as `cmake` that begins with `# CMakeLists.txt` is written to that file. A block that is
fenced as nothing could hide a command and is refused.

Excerpts of output (excerpts.py) are made again and must be what the document shows; --update writes them anew.

The file of --rules says, a line each, what a test does otherwise than a reader:
    replace A by B          in every command
    skip COMMAND # REASON   this command is not run
Each of them must apply to something. The files of the folder --start lie in the commands' folder at the beginning.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import excerpts
import markdown

PROGRAMS = ("accelc", "accel-run", "accel-compare", "accel-opt", "accel-inspect", "accel-data")
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHELL_COMMENT = re.compile(r"(^|\s+)#.*")
PLACEHOLDER = re.compile(r"(?<![\w.])[A-Z]+(?![\w])")
PROJECT_FILE = "CMakeLists.txt"


class Rules:
    """What a test does otherwise than a reader, and which of it has applied."""

    def __init__(self, path):
        self._replaced, self._skipped, self._unused = {}, set(), set()
        for line in path.read_text(encoding="utf-8").splitlines() if path else ():
            self._add(line)

    def _add(self, line):
        kind, _, rest = line.partition(" ")
        old, by, new = rest.partition(" by ")
        command, _, reason = rest.partition(" # ")
        if kind == "replace" and by:
            self._replaced[old] = new
            self._unused.add(old)
        elif kind == "skip" and reason.strip():
            self._skipped.add(command.strip())
            self._unused.add(command.strip())
        elif line.strip():
            sys.exit(f"doc_commands: expected 'replace A by B' or 'skip COMMAND # REASON', got '{line}'")

    def skips(self, command):
        self._unused.discard(command)
        return command in self._skipped

    def apply(self, command):
        for old, new in self._replaced.items():
            if old in command:
                self._unused.discard(old)
                command = command.replace(old, new)
        return command

    def unused(self):
        return sorted(self._unused)


class Folder:
    """The folder in which a document's commands run."""

    def __init__(self, path, build, start, rules):
        self._path, self._rules, self._done = path, rules, set()
        self._environment = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}")
        if start:
            shutil.copytree(start, path, dirs_exist_ok=True)
        (path / "build").mkdir()
        (path / "build" / "release").symlink_to(build)
        (path / "test").symlink_to(REPOSITORY / "test")

    def complaint(self, command):
        """Runs a command, unless it was run before or is skipped; what went wrong, or ""."""
        if command in self._done or self._rules.skips(command):
            return ""
        self._done.add(command)
        run = self._run(command, subprocess.STDOUT)
        return "" if run.returncode == 0 else f"exit status {run.returncode}: {self._rules.apply(command)}\n{run.stdout}".rstrip()

    def write_project(self, code):
        """Writes the file that a block of CMake is."""
        (self._path / PROJECT_FILE).write_text(code.text, encoding="utf-8")

    def output(self, command):
        """What a command prints to standard output."""
        run = self._run(command, subprocess.PIPE)
        if run.returncode != 0:
            raise excerpts.BadExcerpt(f"exit status {run.returncode}: {command}\n{run.stderr}")
        return run.stdout

    def _run(self, command, errors):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", self._rules.apply(command)], cwd=self._path,
                              env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
                              check=False)


def is_command(span):
    """Whether a code span could be typed as it is."""
    words = span.split()
    if words[0].startswith(("tools/", "test/")):
        return os.access(REPOSITORY / words[0], os.X_OK) and (REPOSITORY / words[0]).is_file()
    operands = [word for word in words[1:] if not word.startswith("-")]
    return words[0] in PROGRAMS and operands != [] and not PLACEHOLDER.search(span)


def is_project(code):
    """Whether a block is a whole file for CMake."""
    return code.fenced and code.language == "cmake" and code.text.startswith(f"# {PROJECT_FILE}\n")


def commands_in(code):
    """Yields (line, command) of a code block or span."""
    if code.fenced and code.language == "sh":
        for number, line in enumerate(code.text.splitlines(), code.line):
            command = SHELL_COMMENT.sub("", line).strip()
            if command:
                yield number, command
    elif not code.fenced and code.text.strip() and is_command(code.text):
        yield code.line, code.text


def steps_of(text):
    """The document's commands, projects and excerpts as (line, what), in order."""
    codes = list(markdown.code_in(text))
    commands = [step for code in codes for step in commands_in(code)] + [(code.line, code) for code in codes if is_project(code)]
    return sorted(commands + [(excerpt.line, excerpt) for excerpt in excerpts.excerpts_in(text)], key=lambda step: step[0])


def check_document(path, folder, update):
    """Returns the findings; with `update` excerpts are written anew instead."""
    text = path.read_text(encoding="utf-8")
    findings = [f"{path}:{code.line - 1}: fence this block as `sh` (commands, which are run) or as what it is, `text` say"
                for code in markdown.code_in(text) if code.fenced and not code.language]
    changes = []
    for line, step in steps_of(text):
        if isinstance(step, str):
            complaint = folder.complaint(step)
            findings += [f"{path}:{line}: {complaint}"] if complaint else []
            continue
        if isinstance(step, markdown.Code):
            folder.write_project(step)
            continue
        made = excerpts.shorten(step, folder.output(step.command))
        if made != step.block.text and update:
            changes.append((step.block, made))
        elif made != step.block.text:
            findings.append(f"{path}:{line}: not what '{step.command}' prints; if what it prints is right: "
                            f"tools/lint/doc_commands.py --update {path}\n{difference(step.block.text, made)}".rstrip())
    if changes:
        path.write_text(changed(text, changes), encoding="utf-8")
    return findings


def difference(shown, made):
    return "".join(difflib.unified_diff(shown.splitlines(True), made.splitlines(True), "documented", "printed", n=1))


def changed(text, changes):
    """`text` with other contents in some of its blocks."""
    lines = text.splitlines(keepends=True)
    for block, made in reversed(changes):
        begin = end = block.line - 1
        while not markdown.FENCE.match(lines[end].rstrip("\n")):
            end += 1
        lines[begin:end] = made.splitlines(keepends=True)
    return "".join(lines)


def check_all(arguments, rules):
    """Returns the findings of all documents, whose commands share a folder."""
    findings = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(pathlib.Path(temporary), arguments.build.resolve(), arguments.start, rules)
        for path in arguments.files:
            try:
                findings += check_document(path, folder, arguments.update)
            except excerpts.BadExcerpt as error:
                findings.append(f"{path}:{error}")
    return findings + [f"{arguments.rules}: '{rule}' applies to no command" for rule in rules.unused()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=REPOSITORY / "build/release", type=pathlib.Path, help="the build tree")
    parser.add_argument("--start", type=pathlib.Path, help="a folder with the files that the commands need")
    parser.add_argument("--rules", type=pathlib.Path, help="what a test does otherwise")
    parser.add_argument("--update", action="store_true", help="write the excerpts anew")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    findings = check_all(arguments, Rules(arguments.rules))
    for finding in findings:
        print(finding)
    print(f"doc_commands: {len(arguments.files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
