# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole steps, or attention alone, against PyTorch eager and torch.compile."""

from __future__ import annotations

import json
import math
import re
import statistics
import tempfile
from pathlib import Path

from sides import (
    LARGEST_DIFFERENCE,
    WARM_UP,
    Accel,
    Pytorch,
    Side,
    check_losses,
    measure_roofline,
    print_round,
)


# Of first losses, relative.
LARGEST = {"f32": LARGEST_DIFFERENCE, "bf16": 1e-3}


def read_work(plan: dict) -> tuple[int, int]:
    """FLOPs of the step's matrix products and bytes of its optimizer."""
    flops = moved = 0
    step = next(each for each in plan["functions"] if each["name"] == "step")
    for instruction in step["instructions"]:
        product = re.match(r"matmul_((?:\d+x)+\d+)_", instruction["name"])
        if product:
            flops += 2 * math.prod(int(size) for size in product[1].split("x"))
        elif instruction.get("phase") == "PHASE_UPDATE":
            moved += int(instruction.get("bytes_moved", 0))
    return flops, moved


def attention_seconds(trace: dict, steps: int) -> list[float]:
    """Per step, what one layer's attention and its gradient take."""
    seconds: dict[int, float] = {}
    modules = set()
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event["name"].startswith("attention"):
            step = event["args"]["step"]
            seconds[step] = seconds.get(step, 0.0) + event["dur"] * 1e-6
            modules.add(event["args"]["module"])
    if len(seconds) != steps:
        raise SystemExit(
            f"compare: expected a trace of {steps} steps with attention, got {len(seconds)}"
        )
    return [seconds[step] / len(modules) for step in sorted(seconds)]


def run_accel(workload, accel: Accel, data: list[str], threads: int) -> list[float]:
    flags = [*data, f"--threads={threads}"]
    if not workload.is_attention:
        return accel.run(workload.steps, flags)
    steps = workload.steps + WARM_UP
    file = accel.folder / "trace.json"
    accel.run(workload.steps, [*flags, f"--trace={file}", f"--trace-steps={steps}"])
    return attention_seconds(json.loads(file.read_text()), steps)[WARM_UP:]


def make_sides(workload, arguments, folder: Path) -> tuple[dict, dict]:
    """Plans, and workers of PyTorch, by name."""
    flags = [f"--global-batch={workload.batch}"]
    bf16 = arguments.precision == "bf16"
    plans = {"accel": flags + ["--bf16"]} | {"accel f32": flags} if bf16 else {"accel": flags}
    kinds = {"eager": []}
    kinds |= {"channels last": ["--channels-last"]} if workload.is_image() else {}
    kinds |= {} if arguments.no_compile else {"compile": ["--compile"]}
    if bf16:
        kinds |= {f"{kind} autocast": [*each, "--autocast"] for kind, each in kinds.items()}
    return (
        {k: Accel(workload, folder, arguments.bin, each) for k, each in plans.items()},
        {
            k: Pytorch(workload, folder, arguments.threads, each)
            for k, each in kinds.items()
        },
    )


def measure(workload, arguments, beside) -> dict:
    """All rounds of one workload, `beside` what competes with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        total = arguments.rounds * workload.steps + WARM_UP
        data = workload.write_data(folder, total * workload.batch)
        print(f"{workload.title}: exporting and compiling", flush=True)
        workload.export(folder / "model.onnx")
        plans, workers = make_sides(workload, arguments, folder)
        sides = {k: plan.side for k, plan in plans.items()}
        sides |= {k: worker.side for k, worker in workers.items()}
        rooflines = []
        with beside(arguments.beside):
            for number in range(arguments.rounds):
                for plan in plans.values():
                    plan.side.seconds += run_accel(workload, plan, data, arguments.threads)
                for worker in workers.values():
                    worker.run(workload.steps)
                rooflines.append(measure_roofline(arguments.bin, arguments.threads))
                print_round(number + 1, arguments.rounds, sides)
        for worker in workers.values():
            worker.stop()
        check_losses(workload.title, sides, "eager", LARGEST[arguments.precision])
        work = workload.attention_work() or read_work(plans["accel"].inspect())
    return summarise(workload, sides, rooflines, *work)


def summarise(workload, sides: dict[str, Side], rooflines, flops: int, moved: int) -> dict:
    rate = statistics.median(roofline["flops_per_second"] for roofline in rooflines)
    bandwidth = statistics.median(roofline["bytes_per_second"] for roofline in rooflines)
    roofline = flops / rate + moved / bandwidth
    better = min(
        side.median() for name, side in sides.items() if not name.startswith("accel")
    )
    step = sides["accel"].median()
    ratios = {"step_to_better_pytorch": step / better, "step_to_roofline": step / roofline}
    if "accel f32" in sides:
        ratios["step_to_f32"] = step / sides["accel f32"].median()
    if not workload.is_attention:
        ratios["memory_to_eager"] = sides["accel"].peak_bytes / sides["eager"].peak_bytes
    return {
        "workload": workload.name,
        "title": workload.title,
        "first_loss": sides["accel"].first_loss,
        "step_seconds": {name: side.median() for name, side in sides.items()},
        "round_ratios": round_ratios(workload, sides),
        "all_step_seconds": {
            name: [round(seconds, 5) for seconds in side.seconds]
            for name, side in sides.items()
        },
        "peak_bytes": {name: side.peak_bytes for name, side in sides.items()},
        "roofline": {
            "seconds": roofline,
            "gemm_flops": flops,
            "gemm_flops_per_second": rate,
            "optimizer_bytes": moved,
            "bytes_per_second": bandwidth,
        },
        "ratios": ratios,
    }


def round_ratios(workload, sides: dict[str, Side]) -> list[float]:
    """Per round, our median to the better of PyTorch's."""
    medians = {name: side.medians(workload.steps) for name, side in sides.items()}
    ours = medians.pop("accel")
    medians.pop("accel f32", None)
    better = [min(rounds) for rounds in zip(*medians.values(), strict=True)]
    return [round(a / b, 4) for a, b in zip(ours, better, strict=True)]


def describe(result: dict) -> str:
    ratios = result["ratios"]
    text = (
        f"{result['title']}: {ratios['step_to_better_pytorch']:.2f} of the better "
        f"PyTorch, {ratios['step_to_roofline']:.2f} of the roofline"
    )
    if "step_to_f32" in ratios:
        text += f", {ratios['step_to_f32']:.2f} of our f32"
    if "memory_to_eager" in ratios:
        text += f", memory {ratios['memory_to_eager']:.2f} of eager's"
    rounds = ", ".join(f"{ratio:.2f}" for ratio in result["round_ratios"])
    return f"{text}; rounds: {rounds}"
