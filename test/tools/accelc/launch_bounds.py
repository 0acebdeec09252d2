#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what a plan says of the occupancy of its kernels in the first variant, and that it says nothing of the second, which is
PTX: launch_bounds.py FILE, which accel-inspect --json has written. Attention and its gradient must have different bounds above 1; that
of the evaluation keeps nothing for a gradient and has a kernel of its own.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    kernels = json.load(file)["manifest"]["kernels"]
found = {}
for kernel in kernels:
    code, ptx = kernel["entries"]
    assert "occupancy" not in ptx, kernel["name"]
    assert ("occupancy" in code) != ("call" in code), kernel["name"]
    if "occupancy" in code:
        found[kernel["name"]] = code["occupancy"]
for name, use in found.items():
    room = min(16, 65536 // (128 * -(-use["registers"] // 8) * 8))
    assert use["blocks"] == room >= use.get("bound", 1), f"{name}: {use}"
bounds = {name: use["bound"] for name, use in found.items() if "bound" in use}
print(bounds)
trained = {bounds["attention_0"], bounds["attention_grad_0"]}
assert len(trained) == 2 and min(trained) > 1, bounds
