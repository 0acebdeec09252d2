# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a run directory with all that a report shows: make_report_run.py DIRECTORY STEPS. Three starts of the program, a gap of
five steps before the second one, evaluations, a spike, steps that are not finite, checkpoints."""

import json
import math
import os
import sys

directory, steps = sys.argv[1], int(sys.argv[2])
starts = (1, steps // 3 + 6, 2 * steps // 3)
skipped_at = (steps // 2, steps // 2 + 1, steps - 2)
ids = tuple(f"{0xabc0 + i:016x}" for i in range(3))

os.makedirs(os.path.join(directory, "checkpoints"))
for step in (steps // 3, steps):
    os.mkdir(os.path.join(directory, "checkpoints", f"step-{step:08d}"))
os.mkdir(os.path.join(directory, "checkpoints", ".new-step-00000007"))  # one that is being written

skipped = 0
with open(os.path.join(directory, "metrics.jsonl"), "w", encoding="utf-8") as file:
    for step in range(1, steps + 1):
        if starts[1] - 5 <= step < starts[1]:
            continue
        finite = step not in skipped_at
        skipped += not finite
        loss = 2 + 8 / (1 + step / 50) + 0.1 * math.sin(step) + (20 if step == steps // 4 else 0)
        seconds = step + 3600 * sum(step >= start for start in starts[1:])
        line = {"step": step, "loss": round(loss, 6) if finite else None, "lr": 1e-3 * min(1, step / 100),
                "grad_norm": round(1 + math.cos(step) / 2, 6) if finite else None, "tokens": 2048, "step_seconds": 0.25 + 0.01 * (step % 7),
                "tokens_per_second": 2048 / (0.25 + 0.01 * (step % 7)), "peak_bytes": 3 * 2**30 + step, "epoch": step / steps,
                "skipped_steps": skipped, "loss_scale": 65536.0 / 2**skipped, "data_wait_seconds": 0.001 * (step % 5)}
        line["time"] = f"2026-11-{20 + seconds // 86400:02}T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.500Z"
        line["run"] = ids[sum(step >= start for start in starts) - 1]
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
        if step % 100 == 0:
            evaluation = {"step": step, "eval_loss": round(loss + 0.2, 6), "eval_tokens": 512, "eval_seconds": 0.5, "time": line["time"], "run": line["run"]}
            file.write(json.dumps(evaluation, separators=(",", ":")) + "\n")
with open(os.path.join(directory, "run.json"), "w", encoding="utf-8") as file:
    json.dump({"version": 1, "run": ids[2], "started": "2026-11-20T05:00:00.000Z", "model": "<script>alert(1)</script>", "steps": steps,
               "on_nonfinite": "skip", "planned_peak_bytes": 3435973837, "hyperparameters": {"lr": 0.001}}, file)
