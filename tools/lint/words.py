# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The field has words for what the project does; a private word for the same is refused where it has no other meaning."""

import dataclasses
import re

from source_tree import Finding

RUNTIME = ("runtime", "tools/accel-run", "tools/accel-inspect", "test/runtime", "test/tools/accel-run",
           "test/tools/accel-inspect", "test/e2e/properties", "test/benchmark")
PAGES = ("README.md", "docs/architecture.md", "docs/architecture.svg", "docs/assumptions.md", "docs/communicators.md",
         "docs/distributed.md", "docs/plan-format.md", "docs/running.md", "docs/security.md", "docs/tour.md",
         "docs/benchmarks/cpu-against-pytorch.md", "docs/rationale/devices.md", "docs/rationale/distribution.md",
         "docs/rationale/thread-pool.md")
PASSES = ("passes", "test/passes")
FUSION = ("passes/Fuse", "test/passes/fuse")  # a cluster of machines stays a cluster
FUSION_PAGES = ("docs/architecture.md", "docs/kernels.md", "docs/passes.md", "docs/rationale/targets.md")


@dataclasses.dataclass(frozen=True)
class Word:
    word: str
    replacement: str
    allowed_behind: tuple = ()  # words that give it its other meaning
    folders: tuple = RUNTIME
    pages: tuple = PAGES


WORDS = (
    Word("lane", "stream; a part of a vector is a vector lane", allowed_behind=("vector", "Vector")),
    Word("team", "thread pool"),
    Word("meeting", "barrier, or rendezvous where ranks find each other"),
    Word("roof", "roofline"),
    Word("cluster", "fusion group, or kernel", folders=FUSION, pages=FUSION_PAGES),
    Word("circle", "cycle", folders=PASSES, pages=()),
    Word("session", "live range", folders=PASSES, pages=()),
    Word("truth", "true, or a flag", folders=PASSES + ("dialects/Plan", "test/dialects/plan"), pages=()),
)


def _pattern(word):
    """The word and its plural, alone or as a part of an identifier in any spelling: lane, lanes, LANE_, kLane, lane_count."""
    behind = "".join(rf"(?<!{other} )(?<!{other}_)(?<!{other})" for other in word.allowed_behind)
    lower = rf"(?<![A-Za-z]){behind}{word.word}s?(?![a-z])"
    title = rf"{behind}{word.word.capitalize()}s?(?![a-z])"
    upper = rf"(?<![A-Za-z]){behind}{word.word.upper()}S?(?![A-Za-z])"
    return re.compile(rf"{lower}|{title}|{upper}")


PATTERNS = tuple((word, _pattern(word)) for word in WORDS)


def check(tree):
    for file in tree:
        for word, pattern in PATTERNS:
            if file.under(*word.folders) or file.path in word.pages:
                for match in pattern.finditer(file.text):
                    yield Finding(file.path, file.line_of(match.start()), "words",
                                  f"'{match[0]}': the field says {word.replacement}")
                for match in pattern.finditer(file.name):
                    yield Finding(file.path, 1, "words", f"'{match[0]}' in the file's name: the field says {word.replacement}")
