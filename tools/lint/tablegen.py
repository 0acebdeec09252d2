# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TableGen records are the reference: no summary or description is empty. (tablegen_docs.py asks mlir-tblgen whether every
op and pass has one.)"""

import re

from source_tree import Finding

EMPTY = re.compile(r'\blet\s+(?P<field>summary|description)\s*=\s*(?:\[\{\s*\}\]|"\s*")\s*;')


def check(tree):
    for file in tree:
        if file.suffix != ".td":
            continue
        for match in EMPTY.finditer(file.text):
            yield Finding(file.path, file.line_of(match.start()), "tablegen", f"empty {match['field']}")
