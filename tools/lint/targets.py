# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target is a folder of passes/Target and of passes/Lower. Its lowering is known to itself and to one file that chooses, so that
what all targets share depends on none of them. Tests may do otherwise."""

import re

from source_tree import Finding

TARGETS = "passes/Target"
LOWERINGS = "passes/Lower"
FACTORY = "passes/Lower/TargetLowering.cpp"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"((%s|%s)/(\w+)/[^"]+)"' % (TARGETS, LOWERINGS), re.MULTILINE)


def check(tree):
    for file in tree:
        if not file.is_cpp or file.is_test or not file.under(LOWERINGS) or file.path == FACTORY:
            continue
        for match in INCLUDE.finditer(file.text):
            if match[3] != _target(file):
                yield Finding(file.path, file.line_of(match.start()), "targets",
                              f'"{match[1]}": only {LOWERINGS}/{match[3]} knows that target; what targets share is written once, without it')


def _target(file):
    """The target whose lowering the file is a part of; None for what all share."""
    parts = file.path[len(LOWERINGS) + 1:].split("/")
    return parts[0] if len(parts) > 1 else None
