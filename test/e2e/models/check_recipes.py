#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows docs/exporting.md, or other pages: runs their Python files and commands, in order.

    python check_recipes.py                          # with build/release
    python check_recipes.py docs/first-day.md
    python check_recipes.py --keep /tmp/recipes      # and keeps what it wrote

Everything happens in one empty folder, which begins with a text.txt.  Where a
page uses CMake, CMAKE_PREFIX_PATH says where Accel is installed.  A Python
block is written to the file that its first line names, and run.  Every run of
accel-run must write finite losses, which fall from its first to its last fifth.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from exporting import HERE

REPOSITORY = HERE.parents[2]
sys.path.insert(0, str(REPOSITORY / "tools/lint"))
import doc_commands  # noqa: E402
import markdown  # noqa: E402

NAME = re.compile(r"# (\w+\.py)\n")
RUN_FOLDER = re.compile(r"accel-run .*--run-dir (\S+)")


def run_python(text: str, folder: Path) -> str:
    """Runs a Python block; what went wrong, or ""."""
    name = NAME.match(text)
    if name is None:
        return "expected the name of the file as the first line, '# NAME.py'"
    (folder / name[1]).write_text(text, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", name[1]],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    said = [line for line in run.stdout.splitlines() if "[torch.onnx]" not in line]
    print(f"{name[1]}: exit status {run.returncode}", *said, sep="\n  ", flush=True)
    return f"{name[1]} failed:\n{run.stderr}" if run.returncode else ""


def check_losses(folder: Path) -> str:
    """Whether the run in `folder` has trained; what is wrong, or ""."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    part = max(1, len(losses) // 5)
    first, last = sum(losses[:part]) / part, sum(losses[-part:]) / part
    print(f"  {len(losses)} steps: loss {first:.4f} to {last:.4f}", flush=True)
    good = all(map(math.isfinite, losses)) and last < first
    return "" if good else f"{folder.name}: expected losses that fall, got {losses}"


def run_command(command: str, commands: doc_commands.Folder, folder: Path) -> str:
    """Runs a shell command; what went wrong, or ""."""
    print(command, flush=True)
    complaint = commands.complaint(command)
    run_folder = RUN_FOLDER.match(command)
    if complaint or run_folder is None:
        return complaint
    return check_losses(folder / run_folder[1])


def check_document(path: Path, build: Path, folder: Path) -> int:
    """Follows the document up to its first fault; returns the exit status."""
    shutil.copy(REPOSITORY / "LICENSE", folder / "text.txt")
    rules = doc_commands.Rules(None)
    commands = doc_commands.Folder(folder, build, None, rules)
    steps = 0
    for code in markdown.code_in(path.read_text(encoding="utf-8")):
        if doc_commands.is_project(code):
            commands.write_project(code)
            continue
        if code.fenced and code.language == "python":
            complaints = [run_python(code.text, folder)]
        else:
            lines = (line for _, line in doc_commands.commands_in(code))
            complaints = [run_command(line, commands, folder) for line in lines]
        steps += len(complaints)
        if any(complaints):
            print(f"{path}:{code.line}:", *filter(None, complaints), sep="\n")
            return 1
    print(f"check_recipes: {steps} files and commands, all as {path.name} says")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build = REPOSITORY / "build/release"
    parser.add_argument("--build", type=Path, default=build, help="the build tree")
    parser.add_argument("--keep", type=Path, help="a new folder for everything")
    parser.add_argument(
        "pages", nargs="*", type=Path, help="default: docs/exporting.md"
    )
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    status = 0
    for page in arguments.pages or [REPOSITORY / "docs/exporting.md"]:
        if arguments.keep:
            folder = arguments.keep / page.stem
            folder.mkdir(parents=True)
            status |= check_document(page.resolve(), build, folder)
            continue
        with tempfile.TemporaryDirectory() as folder:
            status |= check_document(page.resolve(), build, Path(folder))
    return status


if __name__ == "__main__":
    sys.exit(main())
