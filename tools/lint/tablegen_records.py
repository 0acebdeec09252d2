# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks TableGen which records a set of files defines."""

import json
import re
import subprocess

INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)


def add_arguments(parser):
    parser.add_argument("--tblgen", help="llvm-tblgen, to read TableGen files")
    parser.add_argument("-I", dest="includes", action="append", default=[], help="where TableGen files are included from")


def records_in(tblgen, includes, paths):
    """Yields (path, line, record) for each named record that one of `paths` defines, once.

    A file that another one includes is read there, so it need not stand alone. TableGen names the file of a record by
    its last part only; records of MLIR's own files are told apart by that.
    """
    ours = {path.name: path for path in paths}
    seen = set()
    for entry in _entry_files(paths):
        for record in _dump(tblgen, includes, entry):
            name, _, line = record["!locs"][0].rpartition(":")
            if name in ours and record["!name"] not in seen:
                seen.add(record["!name"])
                yield ours[name], int(line), record


def _entry_files(paths):
    """The files that no other one of `paths` includes."""
    included = {header for path in paths for header in INCLUDE.findall(path.read_text(encoding="utf-8"))}
    return [path for path in paths if not any(path.as_posix().endswith("/" + header) for header in included)]


def _dump(tblgen, includes, path):
    command = [tblgen, "--dump-json", *(f"-I{folder}" for folder in includes), str(path)]
    records = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return [record for name, record in records.items() if not name.startswith("!") and not record["!anonymous"]]
