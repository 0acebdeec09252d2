# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target is a folder of passes/Target and of passes/Lower, where passes/Lower/Loops is what they share. That for GPUs has entries for CPUs, too. Planners ask it in a few places, and nothing else knows what a plan is made for.
Its own folder is known to itself, to its lowering and to the one file that chooses. Tests may do otherwise."""

import re

from source_tree import Finding

TARGETS = "passes/Target"
LOWERINGS = "passes/Lower"
# Who asks (docs/rationale/targets.md): these folders, one pass of Precision, and two of Schedule.
PLANNERS = ("passes/Fuse", "passes/Memory", LOWERINGS, TARGETS)
PLANNING_FILES = (
    "passes/Precision/InsertPrecisionCasts", "passes/Schedule/AssignStreams", "passes/Schedule/PlaceGathers")
NAMES = "passes/Target/TargetNames.h"  # words for command lines, which ask nothing
FACTORIES = ("passes/Lower/TargetLowering.cpp", "passes/Target/Target.cpp")
SHARED = "Loops"  # a folder of passes/Lower that is no target
BESIDE = {"passes/Target/Cuda/CudaTarget.h": "passes/Target/Cpu/CpuTarget.h"}  # who asks another target, and what

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"((%s|%s)/(?:(\w+)/)?[^"/]+)"' % (TARGETS, LOWERINGS), re.MULTILINE)


def check(tree):
    for file in tree:
        if not file.is_cpp or file.is_test:
            continue
        for match in INCLUDE.finditer(file.text):
            message = _refusal(file, match[1], match[2], match[3])
            if message:
                yield Finding(file.path, file.line_of(match.start()), "targets", f'"{match[1]}": {message}')


def _refusal(file, path, folder, target):
    """Why the file may not include `path`, which belongs to a target's folder, or to none; None if it may."""
    if folder == TARGETS and path != NAMES and not file.under(*PLANNERS) and not _is_planner(file):
        return "expected a planner to ask (InsertPrecisionCasts, Fuse, Memory, Lower, PlaceGathers, AssignStreams), and no other; write what was answered into the IR"
    if BESIDE.get(file.path) == path or target == SHARED:
        return None
    knows_all_lowerings = folder == LOWERINGS and not file.under(LOWERINGS, TARGETS)
    if not target or file.path in FACTORIES or knows_all_lowerings or target == _target(file):
        return None
    return f"only {folder}/{target} and its lowering know that target; what targets share is written once, without it"


def _is_planner(file):
    return file.path.rsplit(".", 1)[0] in PLANNING_FILES


def _target(file):
    """The target whose folder or lowering the file is a part of; None for what all share."""
    parts = file.path.split("/")
    return parts[2] if file.under(TARGETS, LOWERINGS) and len(parts) > 3 else None
