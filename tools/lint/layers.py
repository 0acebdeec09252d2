# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependencies between folders point one way: tools -> compiler -> passes -> dialects, frontends -> dialects,
compiler -> runtime/plan (the plan's schema) runtime/io (where outputs go) and runtime/text. The runtime knows neither MLIR nor LLVM, nor do its tools."""

import re

from source_tree import Finding

# What a folder may include. The longest entry that holds a file decides; a folder may always include itself.
ALLOWED = {
    "dialects": (),
    "passes": ("dialects",),
    "frontends": ("dialects",),
    "compiler": ("passes", "frontends", "dialects", "runtime/io", "runtime/plan", "runtime/text"),
    "runtime": (),
    "tools": ("compiler", "passes", "frontends", "dialects", "runtime"),
    "tools/accel-run": ("runtime", "tools/command-line"),
    "tools/accel-data": ("runtime", "tools/command-line"),
    "tools/accel-inspect": ("runtime", "tools/command-line"),
    "tools/command-line": ("runtime",),
}
WITHOUT_LLVM = ("runtime", "tools/accel-run", "tools/accel-compare", "tools/accel-data", "tools/accel-inspect", "tools/command-line")
LLVM_HEADERS = ("mlir/", "mlir-c/", "llvm/", "llvm-c/", "tools/cmake/mlir-pch.h")
PROJECT_FOLDERS = ("compiler", "dialects", "frontends", "passes", "runtime", "tools", "test")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]|^[ \t]*include[ \t]+(")([^"]+)"', re.MULTILINE)


def check(tree):
    for file in tree:
        if not file.is_cpp and file.suffix != ".td":
            continue
        folder = _longest_holding(file.path, ALLOWED)
        for match in INCLUDE.finditer(file.text):
            quote, header = (match[1], match[2]) if match[1] else (match[3], match[4])
            message = _forbidden(file, folder, quote, header)
            if message:
                yield Finding(file.path, file.line_of(match.start()), "layers", message)


def _forbidden(file, folder, quote, header):
    """Why `file`, which belongs to `folder`, may not include `header`; None if it may."""
    if quote == '"' and "/" not in header:
        return f'"{header}" is not written from the repository\'s root'
    if any(file.under(place) for place in WITHOUT_LLVM) and header.startswith(LLVM_HEADERS):
        return f'"{header}": the runtime includes nothing of MLIR or LLVM'
    if folder is None or header.split("/")[0] not in PROJECT_FOLDERS:
        return None
    may = (folder, *ALLOWED[folder])
    if any(header.startswith(place + "/") for place in may):
        return None
    return f'"{header}": {folder} may include {", ".join(ALLOWED[folder]) or "no other folder"}'


def _longest_holding(path, folders):
    holding = [folder for folder in folders if path.startswith(folder + "/")]
    return max(holding, key=len, default=None)
