#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses every example of IR that documentation shows: doc_examples.py --opt=ACCEL_OPT [--tblgen=... -I...] FILE...

A FILE is Markdown, or TableGen, whose records' descriptions are Markdown. Each block fenced as `mlir` must be accepted
by `ACCEL_OPT --verify-roundtrip`. Where a block shows ops alone, as descriptions of ops do, a function is put around
them whose arguments are the values that the block uses and does not define, of the types that it uses them with. A line
`// becomes`, as in descriptions of passes, stands between two examples.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

import markdown
import tablegen_records

# A block that begins with one of these stands for itself: a module, an op with a symbol, an alias.
WHOLE = re.compile(r"\A(?:\s*//.*\n)*\s*(?:module\b|#|!|[\w.]+(?:\s+\w+)*\s+@)")
BECOMES = re.compile(r"^\s*//\s*becomes\b.*\n", re.MULTILINE)
COMMENT = re.compile(r"//.*")
VALUE = re.compile(r"%[\w.$-]+")
DEFINED = re.compile(r"^\s*((?:%[\w.$-]+(?::\d+)?(?:,\s*)?)+)\s*=|(%[\w.$-]+)(?::\s|\s*=\s*%)", re.MULTILINE)
USED_TYPE = re.compile(r"previously used here with type '(.+)'\s*$", re.MULTILINE)


class Parser:
    """The tool that accepts or rejects a text of IR."""

    def __init__(self, opt):
        self._opt = opt

    def complaint(self, text):
        """What the tool says about `text`; "" if it accepts it."""
        run = subprocess.run([self._opt, "--verify-roundtrip", "-o", "/dev/null", "-"], input=text, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return "" if run.returncode == 0 else run.stdout or f"exit status {run.returncode}"

    def type_of_use(self, block, value):
        """The type with which `block` uses a value that it does not define: asked for by defining it otherwise."""
        probe = f'func.func @probe() {{\n{block}\n{value} = "builtin.unrealized_conversion_cast"() : () -> none\nreturn\n}}'
        found = USED_TYPE.search(self.complaint(probe))
        return found[1] if found else None


def undefined_values(block):
    """The values that `block` uses and does not define, in order."""
    code = COMMENT.sub("", block)
    defined = {name.split(":")[0].strip() for left, single in DEFINED.findall(code)
               for name in (left.split(",") if left else [single])}
    return [value for value in dict.fromkeys(VALUE.findall(code)) if value not in defined]


def standalone(block, parser):
    """Returns IR that can be parsed: `block` itself, or a function around it."""
    # An op that refers to a symbol (`plan.launch @k0(%x)`) looks like one that defines it, but uses values.
    if WHOLE.match(block) and "undeclared SSA value" not in parser.complaint(block):
        return block
    types = {value: parser.type_of_use(block, value) for value in undefined_values(block)}
    arguments = ", ".join(f"{value}: {type_}" for value, type_ in types.items() if type_)
    return f"func.func @example({arguments}) {{\n{textwrap.indent(block, '  ')}  return\n}}\n"


def texts_of(arguments):
    """Yields (place, first line or None, Markdown text) of all that the files document."""
    tablegen = [path for path in arguments.files if path.suffix == ".td"]
    for path in arguments.files:
        if path.suffix != ".td":
            yield str(path), 1, path.read_text(encoding="utf-8")
    for path, line, record in tablegen_records.records_in(arguments.tblgen, arguments.includes, tablegen):
        yield f"{path}:{line}: {record['!name']}", None, record.get("description") or ""


def examples_of(arguments):
    """Yields (place, block) for each example."""
    for place, first_line, text in texts_of(arguments):
        for code in markdown.code_in(text):
            if code.fenced and code.language == "mlir":
                where = place if first_line is None else f"{place}:{code.line}"
                yield from ((where, block) for block in BECOMES.split(textwrap.dedent(code.text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True, help="the tool that parses, accel-opt")
    tablegen_records.add_arguments(parser)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    opt = Parser(arguments.opt)
    count = failures = 0
    for place, block in examples_of(arguments):
        count += 1
        text = standalone(block, opt)
        complaint = opt.complaint(text)
        if complaint:
            failures += 1
            print(f"{place}: this example is not accepted:\n{textwrap.indent(text, '    ')}{complaint}")
    print(f"doc_examples: {count} examples, {failures} not accepted")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
