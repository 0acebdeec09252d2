#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the repository's sources: clang_tidy.py --build FOLDER --output FOLDER [PATTERN...]

The commands come from the configured and built tree --build, whose generated headers are needed. They are GCC's: what
only GCC knows is taken out, and its precompiled header is replaced by the header that it is made of. The commands so made
are written to --output. A PATTERN is a regular expression that a source's path must match, e.g. runtime/data; default: all.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ONLY_GCC = re.compile(r"\s-fpch-preprocess\b|\s-Winvalid-pch\b|\s-fno-sanitize-recover=\S+|\s-fsanitize=\S+|\s-fuse-ld=\S+")
PRECOMPILED = re.compile(r"\s-include\s+\S*cmake_pch\.hxx")
# The compiler cache in front of the compiler, with the environment that it is given.
LAUNCHER = re.compile(r"^.*?(?=\S*\b(?:c\+\+|g\+\+|cc|gcc)(?:-\d+)?\s)")


def commands_for_clang(build, repository, patterns):
    """The compile commands of the repository's own sources, as clang understands them."""
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.relpath(command["file"], repository)
        if source.startswith(("..", "build/")) or not any(re.search(pattern, source) for pattern in patterns):
            continue
        text = LAUNCHER.sub("", command["command"])
        text = ONLY_GCC.sub("", text)
        text = PRECOMPILED.sub(f" -include {repository}/tools/cmake/mlir-pch.h", text)
        yield {**command, "command": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("patterns", nargs="*", default=[""])
    arguments = parser.parse_args()
    repository = pathlib.Path(__file__).resolve().parents[2]
    commands = list(commands_for_clang(arguments.build, repository, arguments.patterns))
    if not commands:
        sys.exit(f"clang_tidy: no source in {arguments.build}/compile_commands.json matches {arguments.patterns}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")
    return subprocess.run(["run-clang-tidy-22", "-quiet", "-j", str(len(os.sched_getaffinity(0))), "-p", arguments.output],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
