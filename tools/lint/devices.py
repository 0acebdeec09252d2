# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kind of device is a folder of runtime/device. Only the folder itself and the factory know what is in it, so that the
executor runs on any device. Tests may do otherwise."""

import re

from source_tree import Finding

DEVICES = "runtime/device"
FACTORY = ("runtime/device/create_device.cc",)
FOLDERS = ("runtime", "tools")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(%s/(\w+)/[^"]+)"' % DEVICES, re.MULTILINE)
# A class of a header, and neither a forward declaration nor one inside another class.
CLASS = re.compile(r"^(?:class|struct)\s+(\w+)[^;{]*\{", re.MULTILINE)


def check(tree):
    owners = _classes(tree)
    names = re.compile(r"\b(%s)\b" % "|".join(sorted(owners))) if owners else None
    for file in tree:
        if not file.is_cpp or file.is_test or not file.under(*FOLDERS) or file.path in FACTORY:
            continue
        for match in INCLUDE.finditer(file.text):
            if match[2] != _kind(file):
                yield Finding(file.path, file.line_of(match.start()), "devices",
                              f'"{match[1]}": only {FACTORY[0]} knows which devices there are; use {DEVICES}/device.h')
        for match in names.finditer(file.code) if names else ():
            if _kind(file) not in owners[match[1]]:
                yield Finding(file.path, file.line_of(match.start()), "devices",
                              f"'{match[1]}' belongs to {DEVICES}/{min(owners[match[1]])}; use what {DEVICES}/device.h declares")


def _kind(file):
    """The kind of device whose folder holds the file; None if none does."""
    parts = file.path[len(DEVICES) + 1:].split("/") if file.under(DEVICES) else []
    return parts[0] if len(parts) > 1 else None


def _classes(tree):
    """The names of classes that a device's headers declare, with the kinds of devices that do."""
    owners = {}
    for file in tree:
        if file.suffix == ".h" and _kind(file):
            for match in CLASS.finditer(file.code):
                owners.setdefault(match[1], set()).add(_kind(file))
    return owners
