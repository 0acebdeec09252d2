# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two metrics.jsonl have the same steps with the same losses: same_metrics.py A B."""

import json
import sys


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [(record["step"], record["loss"], record["grad_norm"], record["epoch"]) for record in map(json.loads, lines)]


first, second = map(read, sys.argv[1:])
if first != second:
    sys.exit(f"{first}\n{second}")
