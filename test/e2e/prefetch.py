# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows in the traces of two runs of one fsdp plan that gathers are hidden, and that program order hides none.

usage: prefetch.py OVERLAPPED.json SERIAL.json

Both runs had a communicator that was slowed down. In the first, while the parameters of the next bucket are gathered,
the instructions of the bucket before it run, which come later in the program; in the second nothing runs meanwhile.
"""

import json
import pathlib
import sys


def streams(path):
    """Per rank and step: gathers (those in the loop) and what runs on the compute stream, as traced."""
    events = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["traceEvents"]
    ranks = {}
    for event in events:
        if event.get("ph") == "X":
            gathers, computes = ranks.setdefault(event["pid"], ([], []))
            if event["name"].startswith("all_gather "):
                gathers.append(event)
            elif event["tid"] == 0:
                computes.append(event)
    return ranks


def behind(gather, computes):
    """Instructions that come behind the gather in the program and ran from beginning to end while it was under way."""
    return [event for event in computes
            if event["ts"] >= gather["ts"] and event["ts"] + event["dur"] <= gather["ts"] + gather["dur"]
            and event["args"]["step"] == gather["args"]["step"]
            and event["args"]["microbatch"] == gather["args"]["microbatch"]
            and event["args"]["instruction"] > gather["args"]["instruction"]]


def main():
    overlapped, serial = sys.argv[1:]
    for rank, (gathers, computes) in sorted(streams(overlapped).items()):
        most = {}  # of instructions beside one gather of block1, per microbatch
        for gather in gathers:
            if gather["name"].startswith("all_gather block1."):
                key = gather["args"]["step"], gather["args"]["microbatch"]
                most[key] = max(most.get(key, 0), len(behind(gather, computes)))
        print(f"rank {rank}: while block1 was gathered, {sorted(most.values())} later instructions ran in each microbatch")
        # Not in each: a busy machine may stop a stream for longer than the communicator takes.
        if not most or max(most.values()) < 5:
            sys.exit("expected at least 5 in one of them: those of block0's forward")
    for rank, (gathers, computes) in sorted(streams(serial).items()):
        hidden = sum(len(behind(gather, computes)) for gather in gathers)
        print(f"rank {rank} in program order: {len(gathers)} gathers, {hidden} instructions under way with one")
        if hidden or not gathers:
            sys.exit("expected gathers, and nothing beside them")


if __name__ == "__main__":
    main()
