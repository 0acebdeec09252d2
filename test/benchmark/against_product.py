# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the products of convolutions are, in all three directions, to a
square product of our own in the same step."""

from __future__ import annotations

import collections
import json
import math
import re
import statistics
import tempfile
from pathlib import Path

from sides import WARM_UP, Accel

SQUARE = 1024  # rows, columns and depth of the product
IN_A_ROW = 3  # so that all but the first have a gradient of their input
# By layer: channels, elements of a window along an axis, and of the image.
KERNELS = {
    f"conv{window}x{window}_{channels}": (channels, window, side)
    for window in (3, 1)
    for channels, side in ((64, 32), (128, 32), (256, 16), (512, 7))
}
PLACES = {layer: side * side for layer, (_, _, side) in KERNELS.items()}
FEATURES = max(channels * side * side for channels, _, side in KERNELS.values())
DIRECTIONS = ("forward", "gradient of the input", "gradient of the weights")


def direction_of(event: dict, places: int) -> str:
    """`places`: rows of the forward product, which the weights' gradient sums,
    perhaps in parts."""
    if event["cat"] == "forward":
        return DIRECTIONS[0]
    *parts, _, _, summed = map(int, re.findall(r"\d+", event["name"])[:-1])
    return DIRECTIONS[2 if math.prod(parts) * summed == places else 1]


def rates_of(trace: dict, batch: int) -> dict[str, dict[str, list[float]]]:
    """FLOPs a second of each product, by layer and direction."""
    rates = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in trace["traceEvents"]:
        layer = re.search(r"(conv\w+|square)\.", event.get("args", {}).get("module", ""))
        if event["ph"] != "X" or not layer or not event["name"].startswith("matmul_"):
            continue
        places = SQUARE if layer[1] == "square" else batch * PLACES[layer[1]]
        rate = event["args"]["flops"] / (event["dur"] * 1e-6)
        rates[layer[1]][direction_of(event, places)].append(rate)
    return rates


def measure(workload, arguments, beside) -> dict:
    """The median of all steps of all rounds."""
    flags = [f"--global-batch={workload.batch}"]
    all_rates = collections.defaultdict(lambda: collections.defaultdict(list))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = workload.write_data(folder, (workload.steps + WARM_UP) * workload.batch)
        print(f"{workload.title}: exporting and compiling", flush=True)
        workload.export(folder / "model.onnx")
        accel = Accel(workload, folder, arguments.bin, flags)
        file = folder / "trace.json"
        traced = [f"--trace={file}", f"--trace-steps={workload.steps + WARM_UP}"]
        threads = f"--threads={arguments.threads}"
        with beside(arguments.beside):
            for number in range(arguments.rounds):
                accel.run(workload.steps, [*data, *traced, threads])
                rates = rates_of(json.loads(file.read_text()), workload.batch)
                for layer, directions in rates.items():
                    for direction, found in directions.items():
                        all_rates[layer][direction] += found
                print(f"  round {number + 1} of {arguments.rounds}", flush=True)
    square = statistics.median(sum(all_rates["square"].values(), []))
    return {
        "workload": workload.name,
        "title": workload.title,
        "product_flops_per_second": square,
        "ratios": {
            layer: {
                direction: statistics.median(all_rates[layer][direction]) / square
                for direction in DIRECTIONS
            }
            for layer in KERNELS
        },
    }


def describe(result: dict) -> str:
    lines = [f"a square product: {result['product_flops_per_second'] / 1e9:.0f} GF/s"]
    for layer, ratios in result["ratios"].items():
        each = ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios.items())
        lines.append(f"{layer}: {each}")
    return "\n".join(lines)
