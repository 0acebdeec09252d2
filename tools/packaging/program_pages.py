#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program's man page and its completions for bash, zsh and fish: program_pages.py --output DIR PROGRAM

Everything is made of the program's option table, which it prints for --option-table and of which its --help is made,
too. Called by CMake when a program has been built.
"""

import argparse
import pathlib

import completions
import man_page
import option_table


def pages(program):
    """Files by their path in DIR."""
    return {
        f"man/{program.name}.1": man_page.man_page(program),
        f"bash/{program.name}": completions.bash(program),
        f"zsh/_{program.name}": completions.zsh(program),
        f"fish/{program.name}.fish": completions.fish(program),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, type=pathlib.Path, metavar="DIR")
    parser.add_argument("--command", action="append", default=[], help="a command with an option table of its own")
    parser.add_argument("program")
    arguments = parser.parse_args()
    program = option_table.read_program(arguments.program, arguments.command)
    for name, text in pages(program).items():
        path = arguments.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
