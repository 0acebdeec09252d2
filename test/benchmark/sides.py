# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare` runs: Accel's programs, a worker with PyTorch, and the roofline."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LARGEST_DIFFERENCE = 2e-5  # of the first losses, relative
WARM_UP = 2  # steps of a run that are not timed


@dataclasses.dataclass
class Side:
    seconds: list[float] = dataclasses.field(default_factory=list)
    first_loss: float | None = None
    peak_bytes: int = 0

    def median(self) -> float:
        return statistics.median(self.seconds)

    def medians(self, steps: int) -> list[float]:
        """Of each round, which has `steps`."""
        rounds = range(0, len(self.seconds), steps)
        return [statistics.median(self.seconds[i : i + steps]) for i in rounds]


class Pytorch:
    """A worker that stays, because compiling takes longer than training."""

    def __init__(self, workload, folder: Path, threads: int, flags: list[str]):
        command = [
            sys.executable,
            str(HERE / "pytorch_worker.py"),
            f"--workload={workload.name}",
            f"--data={folder}",
            f"--threads={threads}",
            *flags,
        ]
        environment = os.environ | {
            "OMP_NUM_THREADS": str(threads),
            "TRANSFORMERS_VERBOSITY": "error",
        }
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.side = Side()
        # Importing takes seconds of both cores: nobody else may be timed then.
        self.read_line()

    def read_line(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("compare: PyTorch's worker ended; see its message above")
        return line

    def run(self, steps: int) -> None:
        warm = WARM_UP if self.side.first_loss is None else 0
        self.process.stdin.write(f"{steps + warm}\n")
        self.process.stdin.flush()
        answer = json.loads(self.read_line())
        if self.side.first_loss is None:
            self.side.first_loss = answer["losses"][0]
        self.side.seconds += answer["seconds"][warm:]
        self.side.peak_bytes = answer["peak_bytes"]

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=60)


def call(program: Path, *arguments: str) -> str:
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"compare: {program.name} failed:\n{result.stderr}")
    return result.stdout


class Accel:
    """One plan; `flags` are accelc's, beside those of the workload."""

    def __init__(self, workload, folder: Path, programs: Path, flags: list[str]):
        self.programs = programs
        self.folder = folder
        self.plan = folder / ("plan" + "".join(flags))
        call(
            programs / "accelc",
            str(folder / "model.onnx"),
            f"--dim=batch={workload.batch}",
            *workload.training_flags(),
            *flags,
            "--quiet",
            f"--output={self.plan}",
        )
        self.side = Side()

    def run(self, steps: int, flags: list[str]) -> list[float]:
        """One run, with more of accel-run's flags. Returns what its steps took."""
        with tempfile.TemporaryDirectory(dir=self.folder) as run_dir:
            call(
                self.programs / "accel-run",
                str(self.plan),
                "--shuffle=off",
                f"--steps={steps + WARM_UP}",
                f"--run-dir={run_dir}",
                "--quiet",
                *flags,
            )
            text = (Path(run_dir) / "metrics.jsonl").read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        if self.side.first_loss is None:
            self.side.first_loss = lines[0]["loss"]
        self.side.peak_bytes = max(line["peak_bytes"] for line in lines)
        return [line["step_seconds"] for line in lines[WARM_UP:]]

    def inspect(self) -> dict:
        return json.loads(
            call(self.programs / "accel-inspect", "--json", str(self.plan))
        )


def measure_roofline(programs: Path, threads: int) -> dict[str, float]:
    return json.loads(call(programs / "benchmark-roofline", str(threads)))


def check_losses(
    title: str, sides: dict[str, Side], reference: str, largest: float
) -> None:
    expected = sides[reference].first_loss
    for name, side in sides.items():
        difference = abs(side.first_loss - expected) / abs(expected)
        if difference > largest:
            raise SystemExit(
                f"compare: {title}: expected the first loss of {reference}, {expected}, "
                f"got {side.first_loss} from {name}: they do not train the same"
            )


def print_round(number: int, rounds: int, sides: dict[str, Side]) -> None:
    medians = ", ".join(f"{name} {side.median():.4g} s" for name, side in sides.items())
    print(f"  round {number} of {rounds}: {medians}", flush=True)


def name_core(facts: dict[str, str]) -> str | None:
    """Which core an AMD processor has, whose name in a virtual machine may not
    tell; None: not known. By family and model of /proc/cpuinfo."""
    if facts.get("vendor_id") != "AuthenticAMD":
        return None
    family, model = int(facts["cpu family"]), int(facts["model"])
    if family == 25:
        return "Zen 4" if 0x10 <= model <= 0x1F or model >= 0x60 else "Zen 3"
    return "Zen 5" if family == 26 else None


def describe_machine(threads: int) -> dict:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    entries = [line.partition(":") for line in lines]
    facts = {name.strip(): value.strip() for name, _, value in entries}
    vectors = "AVX-512" if "avx512f" in facts["flags"].split() else "AVX2"
    return {
        "cpu": facts["model name"],
        "core": name_core(facts),
        "vectors": vectors,
        "threads": threads,
        "system": platform.platform(),
    }


def describe_commit(root: Path) -> str:
    """What was measured; `-dirty` where the tree holds more than the commit."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
