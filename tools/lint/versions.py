# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version stands in the CMakeLists.txt of the root: a page that names a package names that version's, and no other file defines it."""

import re

from source_tree import Finding

ROOT = "CMakeLists.txt"
VERSION = re.compile(r"^project\(accel VERSION (\d+\.\d+\.\d+)", re.MULTILINE)
PACKAGE = re.compile(r"\baccel-[a-z]+_(\d+\.\d+\.\d+)")
DEFINITION = re.compile(r"\bACCEL_VERSION=")


def check(tree):
    root = next((file for file in tree if file.path == ROOT), None)
    found = VERSION.search(root.text) if root else None
    if not found:
        return
    for file in tree:
        if file.suffix == ".md":
            for match in PACKAGE.finditer(file.text):
                if match[1] != found[1]:
                    yield Finding(file.path, file.line_of(match.start()), "versions",
                                  f"'{match[0]}': expected version {found[1]}, which {ROOT} says")
        if file.name == ROOT and file is not root:
            for match in DEFINITION.finditer(file.text):
                yield Finding(file.path, file.line_of(match.start()), "versions",
                              f"expected target_link_libraries(... AccelVersion), got a definition; {ROOT} of the root has it")
