#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks compiled libraries of the runtime: runtime_symbols.py [--nm=NM] LIBRARY...

A library has no variable that could change while the program runs (two plans in one process share nothing), and calls
nothing that finds code by its name (what is linked is what runs). Prints one line per finding.
"""

import argparse
import os
import re
import subprocess
import sys

# Sections of variables that can be written; .data.rel.ro is written once, by the loader.
WRITABLE = re.compile(r"^(?:\*COM\*|\.(?:bss|data|tbss|tdata)(?!\.rel\.ro)(?:\..*)?)$")
# Ours, and the flags of function-local variables of ours; not what compilers and sanitizers add to every file.
OURS = re.compile(r"^(?:guard variable for )?accel::")
# What loads code by name, or starts a program by its name. posix_spawn takes a path; the seam raw-process says which one.
BY_NAME = re.compile(r"^(?:dlm?open|dlv?sym|exec[lv]\w*|posix_spawnp|system|popen|fork)(?:@.*)?$")


def symbols(nm, library):
    """Yields (object file, name, section or "" if the symbol is not defined here)."""
    listing = subprocess.run([nm, "--demangle", "--format=sysv", library], stdout=subprocess.PIPE, text=True, check=True)
    member = library
    for line in listing.stdout.splitlines():
        header = re.match(r"^(?:Undefined )?[Ss]ymbols from (?:.*\[)?([^\]]*)\]?:$", line)
        if header:
            member = header[1]
        columns = line.rsplit("|", 6)
        if len(columns) == 7 and columns[0].strip() != "Name":
            section = columns[6].strip()
            yield member, columns[0].strip(), "" if section == "*UND*" else section


# NVIDIA's libraries are opened by this one, so that one build starts on every machine.
OPENS_LIBRARIES = "libAccelRuntimeSharedLibrary.a"


def findings(nm, library):
    opens = os.path.basename(library) == OPENS_LIBRARIES
    for member, name, section in symbols(nm, library):
        if section and WRITABLE.match(section) and OURS.match(name):
            yield f"{member}: '{name}' is a variable of the whole process (in {section}); make it a member or constexpr"
        elif not section and BY_NAME.match(name) and not (opens and name.startswith(("dlopen", "dlsym"))):
            yield f"{member}: '{name}' finds code by its name; link it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("libraries", nargs="+")
    arguments = parser.parse_args()
    count = sum(1 for library in arguments.libraries for _ in symbols(arguments.nm, library))
    found = [finding for library in arguments.libraries for finding in findings(arguments.nm, library)]
    print("\n".join(found + [f"runtime_symbols: {len(arguments.libraries)} libraries, {len(found)} findings"]))
    # No symbol at all: the format of nm is not what is read here.
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
