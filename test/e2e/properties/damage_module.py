# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a scheduled and placed module, one thing at a time, and demands that the verifier names both culprits.

usage: damage_module.py schedule|memory MODULE.mlir

schedule: removes each wait, and each event (its signal and all waits for it); the refusal must name an instruction on
each of two lanes. memory: moves each transient buffer onto one that an instruction uses together with it; the refusal
must name the moved buffer and another. All damaged modules go through one accel-opt, as parts of one file.
"""

import collections
import pathlib
import re
import subprocess
import sys

WAITS = re.compile(r", waits = array<i64: ([\d, ]+)>")
SIGNALS = re.compile(r", signals = array<i64: (\d+)>")
LANE = re.compile(r'lane = "(\w+)"')
BUFFER = re.compile(r"^\s*(%\d+) = plan\.buffer transient .*offset = (\d+) ")
MESSAGE = re.compile(r"^<stdin>:(\d+):\d+: (error: |note: the other)")


def waits_of(line):
    numbers = [int(number) for number in WAITS.search(line)[1].split(",")] if WAITS.search(line) else []
    return list(zip(numbers[::2], numbers[1::2]))


def with_waits(line, waits):
    text = ", ".join(f"{event}, {distance}" for event, distance in waits)
    return WAITS.sub(f", waits = array<i64: {text}>" if waits else "", line)


def schedule_damages(lines):
    """Yields (what, {line: its new text}, lines that may be named)."""
    instructions = {i for i, line in enumerate(lines) if LANE.search(line)}
    for i, line in enumerate(lines):
        waits = waits_of(line)
        for j, wait in enumerate(waits):
            yield f"wait {wait} of line {i + 1}", {i: with_waits(line, waits[:j] + waits[j + 1:])}, instructions
    for i, line in enumerate(lines):
        if SIGNALS.search(line):
            event = int(SIGNALS.search(line)[1])
            changed = {j: with_waits(other, [wait for wait in waits_of(other) if wait[0] != event])
                       for j, other in enumerate(lines) if event in [wait[0] for wait in waits_of(other)]}
            changed[i] = SIGNALS.sub("", line)
            yield f"event {event}", changed, instructions


def memory_damages(lines):
    """The same; the moved buffer's line is the only one that changes."""
    places = {}  # of the current function: name -> (line, offset)
    moved = set()
    for i, line in enumerate(lines):
        if "func.func" in line:
            places, moved = {}, set()
        elif BUFFER.match(line):
            name, offset = BUFFER.match(line).groups()
            places[name] = i, offset
        elif LANE.search(line):
            used = [name for name in dict.fromkeys(re.findall(r"%\d+", line)) if name in places]
            for name, other in zip(used, used[1:] + used[:1]):
                if name != other and name not in moved:
                    moved.add(name)
                    at, offset = places[name]
                    text = lines[at].replace(f"offset = {offset} ", f"offset = {places[other][1]} ")
                    yield f"buffer {name} of line {at + 1} on {other}", {at: text}, {j for j, _ in places.values()}


def refusals(damaged, length, verifier):
    """Per damaged module, the kinds of messages about it with their lines."""
    run = subprocess.run(["accel-opt", "-", "--split-input-file", verifier, "-o", "/dev/null"], text=True, check=False,
                         input="\n// -----\n".join(damaged), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = collections.defaultdict(list)
    for text in run.stdout.splitlines():
        if message := MESSAGE.match(text):
            module, line = divmod(int(message[1]) - 1, length + 1)
            found[module].append((message[2], line))
    return found


def main():
    kind, path = sys.argv[1:]
    lines = pathlib.Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
    damages = list(schedule_damages(lines) if kind == "schedule" else memory_damages(lines))
    damaged = ["\n".join(changed.get(i, line) for i, line in enumerate(lines)) for _, changed, _ in damages]
    verifier = f"--accel-verify-{kind}"
    if refusals(["\n".join(lines)], len(lines), verifier):
        sys.exit("the module itself is refused")
    found = refusals(damaged, len(lines), verifier)
    for module, (what, changed, nameable) in enumerate(damages):
        named = dict(found[module])
        culprits = set(named.values()) & nameable
        right = len(found[module]) == 2 and len(named) == 2 and len(culprits) == 2
        if kind == "schedule":
            right = right and len({LANE.search(lines[line])[1] for line in culprits}) == 2
        else:
            right = right and culprits & set(changed)
        if not right:
            sys.exit(f"{what}: expected an error that names two of the {kind}, got {found[module]}")
    print(f"{len(damages)} damages refused, both culprits named")


if __name__ == "__main__":
    main()
