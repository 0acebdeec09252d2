# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lines of a metrics.jsonl: make_metrics.py RUN-ID STEPS FIRST-LOSS. Losses fall, and waver a little."""

import json
import sys

run, steps, loss = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
for step in range(1, steps + 1):
    print(json.dumps({"step": step, "loss": round(1 + (loss - 1) * 20 / (19 + step) + 0.1 * (step % 3), 6), "lr": 0.001,
                      "grad_norm": 1 + step % 5, "tokens": 1024, "step_seconds": 0.5, "tokens_per_second": 2048,
                      "peak_bytes": 1000000, "epoch": step / 100,
                      "time": f"2026-11-22T23:{step // 60 % 60:02}:{step % 60:02}.000Z", "run": run},
                     separators=(",", ":")))
