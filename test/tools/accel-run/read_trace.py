#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what a trace of accel-run holds: read_trace.py TRACE.json"""

import collections
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names, rows, product = {}, collections.defaultdict(list), None
    for event in events:
        key = event["pid"], event["tid"]
        if event["ph"] == "M":
            names[event["name"], *key] = event["args"]["name"]
            continue
        rows[key].append(event)
        product = product or (event if event["name"].startswith("matmul") else None)
    for (process, thread), row in sorted(rows.items()):
        steps = [event["args"]["step"] for event in row]
        apart = all(a["ts"] + a["dur"] <= b["ts"] + 0.001 for a, b in zip(row, row[1:]))
        print(f"{names['process_name', process, 0]}, {names['thread_name', process, thread]}: steps {min(steps)} to {max(steps)}, "
              f"{'in order' if steps == sorted(steps) else 'out of order'}, {'none over another' if apart else 'overlapping'}")
    cost = product["args"]
    print(f"{product['name']}: {cost['flops']} FLOPs, {cost['bytes']} bytes, {cost['node']}")


if __name__ == "__main__":
    main()
