#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sharded modes promise of memory and messages, on plans of models of 12 and 24 layers: sharded_layers.py FOLDER

- In fsdp at most two gathered buckets are alive at any instruction, and memory for them does not grow with layers.
- What a rank keeps is L(N) = 128 ceil(S / (128 N)) elements of every segment of S that is cut over N ranks.
- Each mode exchanges each segment as often as it says, no more and no less.

Sizes of segments are computed here from the shapes in the model's description, not from what the plan says about them.
"""

import collections
import json
import math
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
RANKS = (1, 2, 3, 8)
GRANULE, ALIGNMENT, WIDTH, MOST_RANKS = 128, 16, 4, 1024
KINDS = {"KIND_ALL_GATHER": "gather", "KIND_REDUCE_SCATTER": "scatter", "KIND_ALL_REDUCE": "all_reduce"}


def make_model(folder, layers, head):
    """Returns the ONNX file and {(bucket, group): elements} of its segments."""
    name = f"{head}{layers}"
    text = subprocess.run([sys.executable, TESTS / "compiler" / "make_gpt.py", str(layers), head], check=True,
                          capture_output=True, encoding="utf-8").stdout
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, TESTS / "frontends" / "onnx" / "make_onnx.py", folder / f"{name}.txt",
                    folder / f"{name}.onnx"], check=True)
    return folder / f"{name}.onnx", segments_of(text)


def segments_of(text):
    ends = collections.Counter()
    for line in text.splitlines():
        words = line.split()
        if words[0] != "init" or "external" not in words:
            continue
        parameter, shape = words[1], [int(word) for word in words[3:words.index("external")]]
        scope = parameter.split(".")
        bucket = "block" + scope[1] if scope[0] == "h" else "before" if scope[0] in ("wte", "wpe") else "after"
        group = "decayed" if len(shape) >= 2 else "undecayed"
        ends[bucket, group] += round_up(math.prod(shape), ALIGNMENT)
    return {segment: round_up(elements, GRANULE) for segment, elements in ends.items()}


def round_up(number, unit):
    return -(-number // unit) * unit


def compile_plan(model, mode):
    plan = model.with_suffix("." + mode.strip("-"))
    flags = [mode] if mode != "--plain" else []
    subprocess.run(["accelc", model, "--init=gpt2", *flags, "-o", plan, "--quiet"], check=True)
    return json.loads(subprocess.run(["accel-inspect", "--json", plan], check=True, capture_output=True).stdout)


def expect(what, got, expected):
    if got != expected:
        sys.exit(f"{what}: expected {expected}, got {got}")


# ------------------------------------------------------------------------------------------------------- what ranks keep


def part(elements, ranks):
    return GRANULE * math.ceil(elements / (GRANULE * ranks))


def kept_bytes(segments, mode, ranks):
    """By class: parameters, gradients, and two moments."""
    whole = sum(segments.values())
    cut = sum(part(elements, ranks) for elements in segments.values())
    master = cut if mode == "--fsdp" else whole
    gradient = cut if mode in ("--fsdp", "--zero=2") else whole
    moment = whole if mode == "--plain" else cut
    return {"PARAMETERS": WIDTH * master, "GRADIENTS": WIDTH * gradient, "OPTIMIZER": 2 * WIDTH * moment}


def planned_bytes(plan, ranks):
    """The plan's size expressions of persistent memory, evaluated for so many ranks."""
    total = collections.Counter()
    for buffer in plan["manifest"]["buffers"]:
        memory_class = buffer["memory_class"].removeprefix("CLASS_")
        if buffer["region"] == "REGION_PERSISTENT" and memory_class in ("PARAMETERS", "GRADIENTS", "OPTIMIZER"):
            total[memory_class] += max(sum(term_bytes(term, ranks) for term in alternative["terms"])
                                       for alternative in buffer["bytes"]["alternatives"])
    return dict(total)


def term_bytes(term, ranks):
    size = int(term["factor"]) * ranks ** len(term.get("per_degree", []))
    if "shard" not in term:
        return size
    shard = term["shard"]
    owned = int(shard["granule"]) * math.ceil(int(shard["elements"]) / (int(shard["granule"]) * ranks))
    return math.ceil(size * owned / 8)


# ---------------------------------------------------------------------------------------------------- what ranks exchange


def exchanges(plan):
    """{(bucket, group): {"gather in loop": times, ...}}"""
    buckets = plan["manifest"]["buckets"]
    instructions = step_of(plan)
    repeat = next(each for each in instructions if "repeat" in each)
    counts = collections.defaultdict(collections.Counter)
    for each in instructions:
        collective = each.get("collective")
        if not collective or "segment_plus_one" not in collective:
            continue
        bucket = buckets[collective["bucket_plus_one"] - 1]
        segment = bucket["segments"][collective["segment_plus_one"] - 1]["name"]
        is_inside = repeat["id"] < each["id"] <= repeat["repeat"]["last"]
        place = " in loop" if is_inside else " behind loop" if each["id"] > repeat["id"] else " before loop"
        counts[bucket["name"], segment][KINDS[collective["kind"]] + place] += 1
    return {segment: dict(count) for segment, count in counts.items()}


def step_of(plan):
    instructions = next(function for function in plan["functions"] if function["name"] == "step")["instructions"]
    return [{"id": 0, **each} for each in instructions]  # protobuf's JSON leaves zeros out


def expected_exchanges(segments, mode, layers, tied):
    once = {"--plain": {"all_reduce behind loop": 1},
            "--zero=1": {"scatter behind loop": 1, "gather behind loop": 1},
            "--zero=2": {"scatter in loop": 1, "gather behind loop": 1}}
    if mode in once:
        return {segment: once[mode] for segment in segments}
    expected = {}
    for bucket, group in segments:
        # Backward of embeddings reads no weights, what comes behind the last block is used in forward and backward without
        # others in between. Only the last block is still there when backward begins.
        gathers = 1 if bucket in ("before", "after", f"block{layers - 1}") else 2
        scatters = 1
        if tied and bucket == "before":
            gathers = scatters = 2  # for the embedding and for the head
        if tied and bucket == f"block{layers - 1}":
            gathers = 2  # the last norm and the head have taken the buffers
        expected[bucket, group] = {"gather in loop": gathers, "scatter in loop": scatters}
    return expected


# ------------------------------------------------------------------------------------------------------ what is gathered


def most_alive(plan):
    """The most buckets of which anything lies in shared memory and will still be read, over all instructions."""
    buffers = plan["manifest"]["buffers"]
    contents = []  # [bucket, buffer, begin, end, gathered at, last read at]
    instructions = step_of(plan)
    for each in instructions:
        for number, access in enumerate(each.get("accesses", [])):
            buffer = buffers[access.get("buffer", 0)]
            if buffer["space"] != "SPACE_SHARED":
                continue
            begin = int(access.get("offset", 0))
            end = begin + int(access.get("bytes", 0)) if "bytes" in access else int(buffer["shape"][0]) * WIDTH
            place = access.get("buffer", 0), begin, end
            if "collective" in each and number == each["collective"].get("output_plus_one", 1) - 1:
                contents.append([each["block_plus_one"], *place, each["id"], each["id"]])
            else:
                read_by(each, place, contents)
    if not contents:
        sys.exit("expected gathered buckets, got none")
    return max(len({bucket for bucket, _, _, _, first, last in contents if first <= each["id"] <= last})
               for each in instructions)


def read_by(instruction, place, contents):
    for content in reversed(contents):
        if content[1] == place[0] and content[2] < place[2] and place[1] < content[3]:
            content[5] = instruction["id"]
            return
    sys.exit(f"instruction {instruction['id']} ({instruction['name']}) reads shared memory that nothing has gathered")


def shared_arena(plan):
    return next(int(arena["bytes"]) for arena in plan["manifest"]["arenas"] if arena["space"] == "SPACE_SHARED")


def check(folder, layers, head, mode):
    model, segments = make_model(folder, layers, head)
    plan = compile_plan(model, mode)
    name = f"{head} {layers} {mode.strip('-')}"
    for ranks in RANKS:
        expect(f"{name}, bytes kept by one of {ranks} ranks", planned_bytes(plan, ranks), kept_bytes(segments, mode, ranks))
    got = exchanges(plan)
    expected = expected_exchanges(segments, mode, layers, head == "tied")
    expect(f"{name}, exchanged segments", sorted(got), sorted(expected))
    for segment, counts in expected.items():
        expect(f"{name}, segment {'.'.join(segment)}", got[segment], counts)
    if mode == "--fsdp":
        expect(f"{name}, gathered buckets alive at once", most_alive(plan), 2)
        # Two buffers, each with room for all that ranks may write of a block.
        block = sum(elements + GRANULE * MOST_RANKS for (bucket, _), elements in segments.items() if bucket == "block0")
        expect(f"{name}, bytes of gathered buckets", shared_arena(plan), 2 * WIDTH * block)
    print(f"{name}: as expected, {sum(segments.values())} elements in {len(segments)} segments")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for mode in ("--plain", "--zero=1", "--zero=2", "--fsdp"):
        check(folder, 12, "untied", mode)
    check(folder, 24, "untied", "--fsdp")
    check(folder, 12, "tied", "--fsdp")


if __name__ == "__main__":
    main()
