# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what two runs computed, step by step.

usage: compare_metrics.py A.jsonl B.jsonl BOUND

Losses may differ by BOUND, gradient norms by BOUND relative to their size; steps, rates and counts are equal.
"""

import json
import pathlib
import sys


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def main():
    first, second, bound = read(sys.argv[1]), read(sys.argv[2]), float(sys.argv[3])
    if not first or len(first) != len(second):
        sys.exit(f"{len(first)} and {len(second)} steps")
    loss = max(abs(a["loss"] - b["loss"]) for a, b in zip(first, second))
    norm = max(abs(a["grad_norm"] - b["grad_norm"]) / a["grad_norm"] for a, b in zip(first, second))
    same = all(a[key] == b[key] for a, b in zip(first, second) for key in ("step", "lr", "tokens"))
    print(f"worst loss difference {loss:.2e}, gradient norm {norm:.2e} (bound {bound:g}), the rest equal: {same}")
    sys.exit(0 if loss <= bound and norm <= bound and same else 1)


if __name__ == "__main__":
    main()
