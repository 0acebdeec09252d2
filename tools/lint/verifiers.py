# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A verifier shares nothing with what it verifies, or a fault of one would be a fault of both. So it includes no header of a planner
or of its problem, and no pass that is not a verifier includes what verifiers derive."""

import re

from source_tree import Finding

# Verify<Phase>.cpp, <Thing>Check.cpp and its header, and what says what lies in memory.
VERIFIER = re.compile(r"passes/\w+/(Verify\w+\.cpp|\w+(Check|Contents|Replay)\.(h|cpp)|UnrolledFunction\.(h|cpp))")
# What may be known to both sides: analyses of the IR, declarations of passes, error codes, and the numbers that layouts keep to.
NEUTRAL = re.compile(r"passes/(Analysis/\w+|\w+/Passes|ErrorCodes|\w+/\w+Alignment)\.h(\.inc)?")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(passes/[^"]+)"', re.MULTILINE)


def check(tree):
    for file in tree:
        if not file.is_cpp or file.is_test or not file.under("passes"):
            continue
        verifies = bool(VERIFIER.fullmatch(file.path))
        for match in INCLUDE.finditer(file.text):
            derives = bool(VERIFIER.fullmatch(match[1]))
            if verifies and not derives and not NEUTRAL.fullmatch(match[1]):
                message = "a verifier derives what must hold from the IR alone; what both sides know stands in a header of its own"
            elif derives and not verifies:
                message = "only verifiers include what verifiers derive; what they check is written without it"
            else:
                continue
            yield Finding(file.path, file.line_of(match.start()), "verifiers", f'"{match[1]}": {message}')
