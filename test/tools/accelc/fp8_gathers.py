# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what ranks gather of the parameters that a plan has in 8 bits with what another plan gathers of the same parameters in f32.

    fp8_gathers.py WIDE.json BYTES.json     of accel-inspect --json
"""

import json
import math
import sys

WIDTHS = {"ELEMENT_F32": 4, "ELEMENT_BF16": 2, "ELEMENT_F8E4M3": 1}


def gathered(plan):
    """Of each parameter the type that ranks gather it in, and its elements."""
    found = {}
    for parameter in plan["manifest"]["parameters"]:
        bucket = plan["manifest"]["buckets"][parameter.get("bucket", 0)]
        segment = bucket["segments"][parameter.get("segment", 0)]
        elements = math.prod(int(size) for size in parameter["shape"])
        found[parameter["name"]] = segment["gathered_dtype"], elements
    return found


wide, low = (gathered(json.load(open(path, encoding="utf-8"))) for path in sys.argv[1:])
names = [name for name, (kind, _) in low.items() if WIDTHS[kind] == 1]
before = sum(WIDTHS[wide[name][0]] * wide[name][1] for name in names)
after = sum(WIDTHS[low[name][0]] * low[name][1] for name in names)
print(f"{len(names)} parameters in 8 bits: {after / before:.3f} of the bytes of f32")
