#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the README's model on real text in f32 and in other precisions, and
compares the curves of their losses.

    test/e2e/precision_curves.py --text=text.txt --output=docs/benchmarks/precision-curves.json

For each seed f32 is trained on one rank, and every other precision on each
number of ranks, from the same weights and on the same batches. A curve is
smoothed exponentially; its mean over all steps may differ from f32's by the
bound of its precision. That takes a while (20 minutes on two cores): no test
runs it, docs/precision.md has what it gave.

Needs accelc, accel-run, accel-data and accel-inspect of --bin; writes JSON, and
beside it an SVG with the curves of the first seed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "test" / "e2e" / "models" / "readme" / "gpt2.onnx"
# Of the mean of the smoothed loss, relative to f32's.
PRECISIONS = {
    "bf16": (["--bf16"], 0.005),
    "fp16": (["--fp16"], 0.005),
    "fp8": (["--fsdp", "--fp8"], 0.015),
    "fp8-delayed": (["--fsdp", "--fp8=delayed"], 0.015),
    "fp8-block": (["--fsdp", "--fp8=block"], 0.015),
    "fp8-mx": (["--fsdp", "--fp8=mx"], 0.015),
}
# As models are trained in practice. Without a bound of the gradient's norm the
# first steps, whose gradients are large, multiply every rounding error.
SCHEDULE = ("--lr=1e-3", "--warmup-steps=50", "--clip-norm=1")
# What a new step counts in the smoothed loss.
WEIGHT = 0.05


def call(*command: object, cwd: Path | None = None) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def smooth(losses: list[float]) -> list[float]:
    curve = [losses[0]]
    for loss in losses[1:]:
        curve.append(curve[-1] + WEIGHT * (loss - curve[-1]))
    return curve


class Campaign:
    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.arguments = arguments
        self.folder = folder
        self.bin = arguments.bin.absolute()
        call(self.bin / "accel-data", "pack", arguments.text, "-o", folder / "text.bin")

    def compile(self, name: str, flags: list[str]) -> None:
        call(
            self.bin / "accelc",
            *(MODEL, "--init=gpt2", *SCHEDULE, "--quiet", *flags),
            *("-o", self.folder / name),
        )

    def train(self, name: str, seed: int, ranks: int) -> list[float]:
        """The smoothed curve of a run."""
        run = self.folder / f"{name}-seed{seed}-ranks{ranks}"
        call(
            self.bin / "accel-run",
            *(self.folder / name, "--data", self.folder / "text.bin", "--quiet"),
            *(f"--steps={self.arguments.steps}", f"--seed={seed}"),
            *(f"--ranks={ranks}", "--run-dir", run),
        )
        lines = (run / "metrics.jsonl").read_text().splitlines()
        return smooth([json.loads(line)["loss"] for line in lines])

    def compare(self, seed: int) -> list[dict]:
        single = self.train("f32", seed, 1)
        results = []
        for name in self.arguments.precisions:
            bound = PRECISIONS[name][1]
            for ranks in self.arguments.ranks:
                curve = self.train(name, seed, ranks)
                results.append(
                    {
                        "precision": name,
                        "seed": seed,
                        "ranks": ranks,
                        "mean": sum(curve) / len(curve),
                        "mean_f32": sum(single) / len(single),
                        "last": curve[-1],
                        "last_f32": single[-1],
                        "ratio": sum(curve) / sum(single),
                        "bound": bound,
                    }
                )
                print(describe(results[-1]), flush=True)
        return results

    def plot(self, path: Path) -> None:
        """The curves of the first seed, on as many ranks as are first."""
        ranks = self.arguments.ranks[0]
        runs = ["f32-seed0-ranks1"]
        runs += [f"{name}-seed0-ranks{ranks}" for name in self.arguments.precisions]
        call(
            self.bin / "accel-inspect",
            *("metrics", *runs, "--svg", path.absolute()),
            cwd=self.folder,  # the plot has the names of the runs, not where they lay
        )


def describe(result: dict) -> str:
    verdict = "ok" if abs(result["ratio"] - 1) <= result["bound"] else "TOO FAR"
    return (
        f"{result['precision']}, seed {result['seed']}, {result['ranks']} ranks: mean "
        f"{result['mean']:.4f}, f32's {result['mean_f32']:.4f}, ratio "
        f"{result['ratio']:.5f}; last {result['last']:.4f}, f32's "
        f"{result['last_f32']:.4f}  {verdict}"
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True, help="its bytes are tokens")
    parser.add_argument("--output", type=Path, required=True, help="JSON; and an SVG")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--ranks",
        type=lambda text: [int(number) for number in text.split(",")],
        default=[1, 2, 4],
    )
    parser.add_argument(
        "--precisions",
        type=lambda text: text.split(","),
        default=list(PRECISIONS),
        help="some of them, " + ",".join(PRECISIONS),
    )
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "release" / "bin")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    with tempfile.TemporaryDirectory() as name:
        campaign = Campaign(arguments, Path(name))
        campaign.compile("f32", [])
        for precision in arguments.precisions:
            flags = PRECISIONS[precision][0]
            campaign.compile(precision, flags)
        results = []
        for seed in range(arguments.seeds):
            results += campaign.compare(seed)
        campaign.plot(arguments.output.with_suffix(".svg"))
    report = {
        "date": datetime.date.today().isoformat(),
        "steps": arguments.steps,
        "schedule": SCHEDULE,
        "smoothing": WEIGHT,
        "results": results,
    }
    arguments.output.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(abs(r["ratio"] - 1) > r["bound"] for r in results))


if __name__ == "__main__":
    raise SystemExit(main())
