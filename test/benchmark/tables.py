# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what `compare` measured, in Markdown: machines side by side."""

from __future__ import annotations

import dataclasses
import re

TIME = "step_to_better_pytorch"
ROOFLINE = "step_to_roofline"
MEMORY = "memory_to_eager"


@dataclasses.dataclass(frozen=True)
class Row:
    """A workload: what its row is called, and which ratios we want to reach."""

    title: str
    targets: dict[str, float]


# In the order of tables and charts.
ROWS = {
    "gpt2-124m-t64": Row("GPT-2 124M, 4 x 64", {TIME: 0.70, ROOFLINE: 1.25, MEMORY: 0.82}),
    "gpt2-124m-t256": Row("GPT-2 124M, 4 x 256", {TIME: 0.80}),
    "character": Row("character model, 8 x 256", {TIME: 0.82}),
    "mlp": Row("MLP 784-256-128-10, 32", {TIME: 0.50}),
    "attention-t256": Row("attention alone, 4 x 256", {TIME: 0.60}),
    "attention-t1024": Row("attention alone, 4 x 1024", {TIME: 0.60}),
    "bert-base": Row("BERT-base, 8 x 128", {TIME: 0.75, MEMORY: 0.80}),
    "bert-base-masked": Row("BERT-base, labels for 15 %", {TIME: 0.75, MEMORY: 0.80}),
    "resnet18": Row("ResNet-18, 32 x 3 x 32 x 32", {TIME: 0.80, MEMORY: 0.80}),
    "resnet50": Row("ResNet-50, 8 x 3 x 64 x 64", {TIME: 0.80, MEMORY: 0.80}),
    "mobilenet-v2": Row("MobileNet-V2, 8 x 3 x 64 x 64", {TIME: 0.60, MEMORY: 0.80}),
    "convnext-t": Row("ConvNeXt-T, 8 x 3 x 64 x 64", {TIME: 0.60, MEMORY: 0.80}),
}
MODES = {
    "one rank": "one rank, {ranks} threads",
    "plain": "plain, {ranks} ranks",
    "zero1": "`--zero=1`",
    "zero2": "`--zero=2`",
    "fsdp": "`--fsdp`",
}


def short_name(machine: dict) -> str:
    """The CPU, its core if that is known, and its widest vectors: `Intel Xeon, AVX-512`."""
    cpu = machine["cpu"].replace("(R)", "").replace("(TM)", "")
    cpu = cpu.split("@")[0].removesuffix("CPU ").strip().removesuffix("Processor")
    core = machine.get("core")
    return ", ".join([cpu.strip(), *([core] if core else []), machine["vectors"]])


def file_name(machine: dict) -> str:
    """Where the measurements of such a machine lie: `intel-xeon-avx-512.json`."""
    words = re.sub(r"[^a-z0-9]+", "-", short_name(machine).lower())
    return words.strip("-") + ".json"


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def result_of(report: dict, workload: str) -> dict:
    """What was measured of a workload; {} where it was not."""
    return next((r for r in report["results"] if r["workload"] == workload), {})


def ratio(result: dict, kind: str) -> str:
    """Two digits, or nothing; bold where a target is missed."""
    value = result.get("ratios", {}).get(kind)
    if value is None:
        return ""
    text = f"{value:.2f}"
    target = ROWS[result["workload"]].targets.get(kind)
    return f"**{text}**" if target is not None and float(text) > target else text


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.3g} ms"


def summary(reports: list[dict]) -> str:
    """Time and memory to PyTorch's, a column for each machine."""
    names = [short_name(report["machine"]) for report in reports]
    heads = ["lower is better", *(f"time, {name}" for name in names)]
    heads += [f"memory, {name}" for name in names]
    rows = []
    for workload, row in ROWS.items():
        results = [result_of(report, workload) for report in reports]
        cells = [ratio(result, kind) for kind in (TIME, MEMORY) for result in results]
        rows.append([row.title, *cells])
    return table(heads, rows)


def details(reports: list[dict]) -> str:
    """How long a step takes, and that to the roofline, machine by machine."""
    heads = ["", "target: time, roofline, memory"]
    for report in reports:
        name = short_name(report["machine"])
        heads += [f"step, {name}", "of the roofline"]
    rows = []
    for workload, row in ROWS.items():
        goals = (row.targets.get(kind) for kind in (TIME, ROOFLINE, MEMORY))
        cells = [", ".join("-" if goal is None else f"{goal:.2f}" for goal in goals)]
        for report in reports:
            result = result_of(report, workload)
            step = result and seconds(result["step_seconds"]["accel"])
            cells += [step or "", ratio(result, ROOFLINE)]
        rows.append([row.title, *cells])
    return table(heads, rows)


def all_of(report: dict, key: str) -> str:
    """What its results were measured with; one file may hold several runs."""
    found = {result.get(key, report[key]): None for result in report["results"]}
    return " and ".join(found)


def machines(reports: list[dict]) -> str:
    """Which machine measured what, when, with which Accel and PyTorch."""
    rows = [
        [
            f"[{short_name(report['machine'])}]({report['link']})",
            f"`{report['machine']['cpu']}`, {report['machine']['threads']} threads",
            f"{all_of(report, 'date')}, {report['rounds']} rounds",
            all_of(report, "commit"),
            report["pytorch"],
        ]
        for report in reports
    ]
    return table(["", "processor as it names itself", "measured", "Accel", "PyTorch"], rows)


def sharding(report: dict) -> str:
    """What a step takes in each mode of sharding."""
    [result] = report["results"]
    name = short_name(report["machine"])
    rows = []
    for mode, title in MODES.items():
        step = result["step_seconds"][mode]
        share = result["ratios"].get(mode, 1.0)
        words = title.format(ranks=result["ranks"])
        rows.append([words, f"{step:.2f} s", f"{share:.2f}"])
    return table(["lower is better", f"a step, {name}", "of one rank"], rows)
