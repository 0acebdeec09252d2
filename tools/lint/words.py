# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The field has words for what the project does; a private word for the same is refused everywhere but where it has its other meaning, which
the table says."""

import dataclasses
import re

from source_tree import Finding

# They list the words themselves, or hold what others wrote.
NEVER = ("docs/style.md", "tools/lint/words.py", "test/lint/words.test", "test/fuzz/corpus", "test/e2e/models")
# What a vector has: the folders of kernels' code, and the pages on it.
VECTORS = ("passes/Lower", "passes/Target", "test/passes/lower", "test/cuda", "docs/kernels.md", "docs/cuda.md", "docs/rationale/accel-dialect.md",
           "docs/benchmarks/compile-time.md", "docs/benchmarks/start-up.md", "dialects/Accel/IR/Composite.td", "dialects/Accel/IR/Reduction.td")
# `lanes` of plan.variant, which a vector has, too.
VARIANTS = ("dialects/Plan", "test/dialects/plan", "passes/Fuse/AssignGeometry.cpp", "test/passes/fuse/assign-geometry.mlir", "test/passes/fuse/assign-geometry-cuda.mlir", "test/tools/accelc/cuda.test",
            "compiler/RegisterAll.cpp", "compiler/PlanKernels.cpp", "test/compiler/OtherTarget.h", "docs/rationale/targets.md",
            "docs/plan-format.md")
# Rounds of measurements and of a campaign.
MEASUREMENTS = ("docs/benchmarks", "test/benchmark", "test/lint", "docs/rationale/thread-pool.md", "docs/distributed.md", "docs/testing.md", "test/e2e/kill_campaign.py",
                "test/e2e/properties/killed-ranks.test")
# Those of Philox, and a verb.
PHILOX = ("passes/Lower/Philox.cpp", "passes/Lower/Philox.h", "passes/Lower/DoubleMath.cpp", "runtime/random", "dialects/Accel/Interpreter", "test/runtime/random")


# Where buckets take turns in buffers. Elsewhere a slot is a typed state of a segment, and a part of a communicator's staging memory.
BUCKET_BUFFERS = (*(f"passes/Schedule/{name}" for name in (
    "BucketLiveRanges.cpp", "BucketLiveRanges.h", "BufferContents.cpp", "BufferContents.h", "FirstWrites.cpp", "FirstWrites.h",
    "LoopBuckets.cpp", "LoopBuckets.h", "PlaceGathers.cpp", "PlaceReductions.cpp")),
    "test/passes/schedule/BucketLiveRangesTest.cpp")


@dataclasses.dataclass(frozen=True)
class Word:
    word: str
    replacement: str
    allowed_behind: tuple = ()  # words that give it its other meaning
    exceptions: tuple = ()  # folders and files where it has that
    only: tuple = ()  # the folders and files where it is refused; none: everywhere
    phrase: str = ""  # a pattern of what is refused, where the word alone is not


WORDS = (
    Word("lane", "stream; a part of a vector is a vector lane", allowed_behind=("vector", "Vector"), exceptions=VECTORS + VARIANTS),
    Word("team", "thread pool"),
    Word("meeting", "barrier, or rendezvous where ranks find each other"),
    Word("roof", "roofline"),
    Word("cluster", "fusion group, or kernel", exceptions=("README.md", "docs/installing.md")),  # of machines
    Word("circle", "cycle", exceptions=("tools/accel-inspect/curve_svg.cc",)),  # an element of SVG
    Word("session", "live range", exceptions=("docs/exporting.md",)),  # of onnxruntime
    Word("truth", "true, or a flag", allowed_behind=("tells the",)),
    Word("scratch", "workspace", allowed_behind=("from",)),
    Word("round", "iteration", exceptions=MEASUREMENTS + PHILOX,
         phrase=r"\b(?:an?|another|each|every|last|next|of the|one|per|several|the|this)(?:\s+(?://+\s+)?\w+)?\s+(?://+\s+)?rounds?\b(?!\s+(?:trip|number)|-)"),
    Word("slot", "buffer for gathered parameters", phrase=r"\bgathered\s+(?://+\s+)?slots?\b"),
    Word("slot", "buffer, where buckets take turns in memory", only=BUCKET_BUFFERS),
)


def _pattern(entry):
    """The word and its plural, alone or as a part of an identifier in any spelling: lane, lanes, LANE_, kLane, lane_count; or the phrase."""
    if entry.phrase:
        return re.compile(entry.phrase, re.IGNORECASE)
    word = entry.word
    behind = "".join(rf"(?<!{other} )(?<!{other}_)(?<!{other})" for other in entry.allowed_behind)
    lower = rf"(?<![A-Za-z]){behind}{word}s?(?![a-z])"
    title = rf"{behind}{word.capitalize()}s?(?![a-z])"
    upper = rf"(?<![A-Za-z]){behind}{word.upper()}S?(?![A-Za-z])"
    return re.compile(rf"{lower}|{title}|{upper}")


PATTERNS = tuple((word, _pattern(word)) for word in WORDS)


def _is_in(file, places):
    return file.path in places or file.under(*places)


def check(tree):
    for file in tree:
        if _is_in(file, NEVER):
            continue
        for word, pattern in PATTERNS:
            if _is_in(file, word.exceptions) or (word.only and not _is_in(file, word.only)):
                continue
            for match in pattern.finditer(file.text):
                found = " ".join(match[0].replace("//", " ").split())
                yield Finding(file.path, file.line_of(match.start()), "words", f"'{found}': the field says {word.replacement}")
            for match in pattern.finditer(file.name):
                yield Finding(file.path, 1, "words", f"'{match[0]}' in the file's name: the field says {word.replacement}")
