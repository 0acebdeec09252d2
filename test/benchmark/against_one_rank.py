# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ranks cost: the same step on as many processes of one thread as there
are cores, whole or sharded, against one process with all the threads."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sides import LARGEST_DIFFERENCE, WARM_UP, Accel, check_losses, print_round

MICROBATCHES = 2  # per rank and step, so that gathers and computing can overlap


def measure(workload, arguments, beside) -> dict:
    """All rounds of one workload, `beside` what competes with it."""
    ranks = arguments.threads
    batch = MICROBATCHES * ranks * workload.batch
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = workload.write_data(folder, (workload.steps + WARM_UP) * batch)
        print(f"{workload.title}: exporting and compiling", flush=True)
        workload.export(folder / "model.onnx")
        flags = [f"--global-batch={batch}"]
        modes = {"one rank": [], "plain": [], "zero1": ["--zero=1"]}
        modes |= {"zero2": ["--zero=2"], "fsdp": ["--fsdp"]}
        plans = {
            mode: Accel(workload, folder, arguments.bin, flags + own)
            for mode, own in modes.items()
        }
        sides = {mode: plan.side for mode, plan in plans.items()}
        with beside(arguments.beside):
            for number in range(arguments.rounds):
                for mode, plan in plans.items():
                    if mode == "one rank":
                        how = [f"--threads={ranks}"]
                    else:
                        how = [f"--ranks={ranks}", "--threads=1"]
                    plan.side.seconds += plan.run(workload.steps, data + how)
                print_round(number + 1, arguments.rounds, sides)
        check_losses(workload.title, sides, "one rank", LARGEST_DIFFERENCE)
    return {
        "workload": workload.name,
        "title": workload.title,
        "ranks": ranks,
        "global_batch": batch,
        "first_loss": sides["one rank"].first_loss,
        "step_seconds": {mode: side.median() for mode, side in sides.items()},
        "all_step_seconds": {
            mode: [round(seconds, 5) for seconds in side.seconds]
            for mode, side in sides.items()
        },
        "ratios": {
            mode: side.median() / sides["one rank"].median()
            for mode, side in sides.items()
            if mode != "one rank"
        },
    }


def describe(result: dict) -> str:
    ratios = ", ".join(f"{mode} {ratio:.2f}" for mode, ratio in result["ratios"].items())
    return f"{result['title']}, {result['ranks']} ranks, of one rank's time: {ratios}"
