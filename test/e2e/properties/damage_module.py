# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a module, one thing at a time, and demands that the verifier names the culprits.

usage: damage_module.py schedule|memory|order|access MODULE.mlir

schedule: removes each wait and each event (its signal and all waits for it), moves each wait to the next instruction of its
stream and each signal to the one before; the refusal must name an instruction on each of two streams. memory: moves each
transient buffer onto one that an instruction uses together with it; the refusal must name the moved buffer and another.
order: exchanges two instructions that follow each other, the second of which reads what only the first writes; the refusal
must name that buffer and the instruction that reads it. access: says of each buffer of a launch of each kernel that the kernel does something
else with it; the refusal must name the launch. The module is scheduled and placed, or, for access, it may be one that Fuse has made.
All damaged modules go through one accel-opt, as parts of one file.
"""

import collections
import pathlib
import re
import subprocess
import sys

WAITS = re.compile(r", waits = \[([^]]+)\]")
WAIT = re.compile(r"#plan\.wait<(\d+)(?:, (\d+) ago)?>")
SIGNALS = re.compile(r", signals = \[#plan\.event<(\d+)>\]")
STREAM = re.compile(r'stream = @(\w+)')
BUFFER = re.compile(r"^\s*(%\d+) = plan\.buffer transient .*offset = (\d+) ")
MESSAGE = re.compile(r"^<stdin>:(\d+):\d+: (error: |note: the other|note: in iteration)")
LAUNCH = re.compile(r"plan\.launch @(\w+)\(([^)]*)\) \[([^]]*)\]")


def waits_of(line):
    waits = WAITS.search(line)
    return [(int(event), int(distance or 0)) for event, distance in WAIT.findall(waits[1])] if waits else []


def text_of(waits):
    return ", waits = [" + ", ".join(f"#plan.wait<{event}, {distance} ago>" for event, distance in waits) + "]"


def with_waits(line, waits):
    return WAITS.sub(text_of(waits) if waits else "", line)


def with_signal(line, event):
    line = SIGNALS.sub("", line)
    if event is None:
        return line
    at = STREAM.search(line).end()
    return f"{line[:at]}, signals = [#plan.event<{event}>]{line[at:]}"


def streams_of(lines):
    """For each stream, the lines of its instructions; a function's, a loop's or what is between them in a list of its own."""
    streams = []
    for i, line in enumerate(lines):
        if "func.func" in line or "plan.repeat" in line or line.strip() == "}":
            streams.append({})
        elif STREAM.search(line):
            streams[-1].setdefault(STREAM.search(line)[1], []).append(i)
    return [numbers for each in streams for numbers in each.values()]


def moved_events(lines):
    for numbers in streams_of(lines):
        for i, j in zip(numbers, numbers[1:]):
            for wait in waits_of(lines[i]):
                rest = [each for each in waits_of(lines[i]) if each != wait]
                if WAITS.search(lines[j]):
                    behind = with_waits(lines[j], [*waits_of(lines[j]), wait])
                else:
                    at = STREAM.search(lines[j]).end()
                    behind = f"{lines[j][:at]}{text_of([wait])}{lines[j][at:]}"
                yield f"wait {wait} moved from line {i + 1} to {j + 1}", {i: with_waits(lines[i], rest), j: behind}
            if SIGNALS.search(lines[j]) and not SIGNALS.search(lines[i]):
                event = int(SIGNALS.search(lines[j])[1])
                yield (f"signal {event} moved from line {j + 1} to {i + 1}",
                       {i: with_signal(lines[i], event), j: with_signal(lines[j], None)})


def schedule_damages(lines):
    """Yields (what, {line: its new text}, lines that may be named)."""
    instructions = {i for i, line in enumerate(lines) if STREAM.search(line)}
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
    for what, changed in moved_events(lines):
        yield what, changed, instructions


def order_damages(lines):
    """The same; the buffer's line and that of its reader may be named."""
    buffers, writers = {}, {}
    for i, line in enumerate(lines):
        if "func.func" in line:
            buffers, writers = {}, {}
        elif BUFFER.match(line):
            buffers[BUFFER.match(line)[1]] = i
        elif launch := LAUNCH.search(line):
            used = list(zip(launch[2].split(", "), launch[3].split(", ")))
            before = LAUNCH.search(lines[i - 1])
            for name, mode in used:
                if name in buffers and mode != "read":
                    writers.setdefault(name, []).append(i)
                if before and name in buffers and mode == "read" and writers.get(name) == [i - 1]:
                    # The instruction that reads is where its predecessor was.
                    yield f"lines {i} and {i + 1}", {i - 1: line, i: lines[i - 1]}, {buffers[name], i - 1}
                    break


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
        elif STREAM.search(line):
            used = [name for name in dict.fromkeys(re.findall(r"%\d+", line)) if name in places]
            for name, other in zip(used, used[1:] + used[:1]):
                if name != other and name not in moved:
                    moved.add(name)
                    at, offset = places[name]
                    text = lines[at].replace(f"offset = {offset} ", f"offset = {places[other][1]} ")
                    yield f"buffer {name} of line {at + 1} on {other}", {at: text}, {j for j, _ in places.values()}


def access_damages(lines):
    """The same, for the last launch of each kernel, since all are checked alike; only the launch may be named."""
    launches = {launch[1]: (i, launch) for i, line in enumerate(lines) if (launch := LAUNCH.search(line))}
    for i, launch in launches.values():
        line, modes = lines[i], launch[3].split(", ")
        for operand, mode in enumerate(modes):
            for other in [each for each in ("read", "write", "update") if each != mode]:
                changed = ", ".join([*modes[:operand], other, *modes[operand + 1:]])
                text = line[:launch.start(3)] + changed + line[launch.end(3):]
                yield f"operand {operand} of line {i + 1}: {other} instead of {mode}", {i: text}, {i}


DAMAGES = {"schedule": schedule_damages, "memory": memory_damages, "order": order_damages, "access": access_damages}


def verifier_for(kind, lines):
    if kind in ("memory", "order"):
        return "--accel-verify-memory"
    return "--accel-verify-schedule" if any(map(STREAM.search, lines)) else "--accel-verify-fuse"


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
    damages = list(DAMAGES[kind](lines))
    damaged = ["\n".join(changed.get(i, line) for i, line in enumerate(lines)) for _, changed, _ in damages]
    verifier = verifier_for(kind, lines)
    if refusals(["\n".join(lines)], len(lines), verifier):
        sys.exit("the module itself is refused")
    found = refusals(damaged, len(lines), verifier)
    for module, (what, changed, nameable) in enumerate(damages):
        named = {kind: line for kind, line in found[module] if kind != "note: in iteration"}
        culprits = {line for _, line in found[module]} & nameable
        right = len(culprits) == 2
        if kind == "access":
            right = found[module] == [("error: ", min(nameable))]
        elif kind == "schedule":
            right = right and len(named) == 2 and len({STREAM.search(lines[line])[1] for line in culprits}) == 2
        elif kind == "memory":
            right = len(named) == 2 and len(set(named.values()) & nameable) == 2 and culprits & set(changed)
        if not right:
            sys.exit(f"{what}: expected an error that names the culprits of {kind}, got {found[module]}")
    print(f"{len(damages)} damages refused, {'the launch' if kind == 'access' else 'both culprits'} named")


if __name__ == "__main__":
    main()
