#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every flag of our programs that documentation names exists: doc_flags.py --bin=FOLDER FILE...

In the code of each Markdown FILE, a flag that follows one of our programs (`accelc ... --dim batch=2`) must be in that
program's --help; a flag alone (`--dim`) must be in the --help of one of them. Commands of other programs are left alone.
A program is one in FOLDER, or a script in tools/ that documentation calls by that name (`tools/check --all`). A flag with
a word in capitals (`--accel-PHASE`) stands for several and is left alone.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import markdown

PROGRAMS = ("accelc", "accel-run", "accel-compare", "accel-opt", "accel-inspect", "accel-data", "accel-data-hf")
# Programs whose commands have a --help of their own.
COMMANDS = {"accel-data": ("pack", "info", "verify", "head")}
SCRIPTS = ("tools/check", "tools/quickstart", "tools/install-dependencies", "tools/format", "tools/package", "tools/gpu-check")
FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
PATTERN = re.compile(r"--?(\w+-)*[A-Z]{2,}")
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def flags_of(program, *command):
    """The flags that the help of a program, or of one of its commands, names."""
    try:
        run = subprocess.run([program, *command, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
    except OSError as error:
        sys.exit(f"doc_flags: {program} --help: {error.strerror}")
    return {flag.lstrip("-") for flag in FLAG.findall(run.stdout)} | {"help"}


def known_flags(bin_folder):
    known = {name: flags_of(os.path.join(bin_folder, name)) for name in PROGRAMS}
    known.update({name: flags_of(REPOSITORY / name) for name in SCRIPTS})
    for name, commands in COMMANDS.items():
        known[name].update(*(flags_of(os.path.join(bin_folder, name), command) for command in commands))
    return known


def commands_in(code):
    """The simple commands of a code block or span: lines, joined where they end in a backslash, cut at | ; && and #."""
    for line in code.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line)
        yield from (part.split() for part in re.split(r"\|\||&&|[|;]", line))


def unknown_flags(words, known):
    """Yields (flag, whose) for each flag of a command that its program does not have."""
    program = next((word for word in words if "=" not in word or word.startswith("-")), "")
    name = os.path.basename(program) if not program.startswith("tools/") else program
    flags = [word.split("=")[0] for word in words if FLAG.match(word) and not PATTERN.search(word.split("=")[0])]
    if name in known:
        missing = known[name]
    elif program.startswith("--"):
        name, missing = "any of our programs", set().union(*known.values())
    else:
        return
    yield from ((flag, name) for flag in flags if flag.lstrip("-") not in missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the folder of our programs")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    known = known_flags(arguments.bin)
    failures = 0
    for path in arguments.files:
        for code in markdown.code_in(path.read_text(encoding="utf-8")):
            for words in commands_in(code.text):
                for flag, whose in unknown_flags(words, known):
                    failures += 1
                    print(f"{path}:{code.line}: {flag} is not a flag of {whose}")
    print(f"doc_flags: {len(arguments.files)} files, {failures} unknown flags")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
