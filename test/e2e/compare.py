#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a training run with a golden that PyTorch made.  Standard library only.

    compare.py models/gpt2 --metrics run/metrics.jsonl --gradients g.safetensors \\
        --weights trained.safetensors
    compare.py models/gpt2 --variant sgd --metrics run/metrics.jsonl
    compare.py models/gpt2 --reference-gradients a.safetensors --gradients b.safetensors

Losses are compared absolutely, everything else relatively; tensors by the norm
of the difference over the norm of the golden's.  The k part of a merged qkv bias
has a gradient of zero in exact arithmetic: its difference is measured in global
gradient norms, and its final value, which is amplified noise, is not compared.
A golden that PyTorch made under autocast to bf16 has wider bounds, and what is
compared with it must be further from the golden in float32 than that is wide.
A golden in fp8 (`fp8`) asks for a distance that bf16 does not reach.
Exit status: 0 within the bounds, 1 not (or unreadable), 2 command line.
"""

from __future__ import annotations

import argparse
import json
import math
import struct
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path

GRADIENT_TOLERANCE = 5e-6
KEY_TOLERANCE = 1e-6  # where gradients are bounded by GRADIENT_TOLERANCE
LR_TOLERANCE = 1e-6
# Of runs in bf16, where both sides round each activation to 8 bits.
BF16 = {"loss": 1e-3, "gradient": 3e-2, "norm": 3e-2}
# Gradients in bf16 are at least so far from those in float32.
BF16_DISTANCE = 1e-3
# Of runs in fp8, whose emulation rounds where we do, less is left while products
# are few: what the order of a sum moves.  In a deep model a difference in the last
# bit of bf16 moves numbers to the next one of 8 bits, and what those leave out, up
# to a tenth of a gradient, becomes another sample of the same noise.
FP8 = {"loss": 9e-4, "gradient": 5e-3, "norm": 3e-2}
FP8_DEEP = {"loss": 2e-3, "gradient": 2.5e-1, "norm": 3e-2}
FP8_DEEP_WHOLE = 9e-2  # of all gradients together
# From float32: eight bits cost 4.5e-2 and more, bf16 at most 2.6e-2.
FP8_DISTANCE = 3.5e-2
FORMATS = {"F32": "f", "F64": "d"}


class Failure(Exception):
    """What makes a comparison impossible; the message says what and where."""


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    values: array

    def rows(self, count: int) -> Tensor:
        width = len(self.values) // self.shape[0]
        return Tensor((count, *self.shape[1:]), self.values[: count * width])


@dataclass(frozen=True)
class Check:
    """One compared quantity, one line of the report."""

    kind: str
    name: str
    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.error <= self.tolerance  # false for NaN

    @property
    def badness(self) -> float:
        return math.inf if math.isnan(self.error) else self.error / self.tolerance


def read_safetensors(path: Path) -> dict[str, Tensor]:
    data = path.read_bytes()
    if len(data) < 8:
        raise Failure(f"{path}: {len(data)} bytes, no safetensors file")
    (length,) = struct.unpack("<Q", data[:8])
    if length > len(data) - 8:
        raise Failure(f"{path}: header of {length} bytes exceeds the file")
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    return {
        name: _tensor(f"{path}: {name}", entry, data[8 + length :])
        for name, entry in header.items()
    }


def _tensor(what: str, entry: dict, data: bytes) -> Tensor:
    if entry["dtype"] not in FORMATS:
        raise Failure(f"{what}: dtype {entry['dtype']}, expected F32 or F64")
    values = array(FORMATS[entry["dtype"]])
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= len(data):
        raise Failure(f"{what}: bytes {begin} to {end} lie outside the file")
    values.frombytes(data[begin:end])
    if sys.byteorder == "big":
        values.byteswap()
    shape = tuple(entry["shape"])
    if len(values) != math.prod(shape):
        raise Failure(f"{what}: {len(values)} values for shape {list(shape)}")
    return Tensor(shape, values)


def read_metrics(path: Path) -> dict[str, list[float]]:
    """metrics.jsonl as columns; its steps must count from 1."""
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    rows = [json.loads(line) for line in lines]
    for expected, row in enumerate(rows, start=1):
        if row["step"] != expected:
            raise Failure(f"{path}: step {row['step']} where {expected} belongs")
    keys = ("loss", "lr", "grad_norm", "tokens")
    return {key: [row[key] for row in rows] for key in keys}


def _norm(values) -> float:
    return math.sqrt(math.fsum(v * v for v in values))


def _relative(difference: float, reference: float) -> float:
    if reference == 0:
        return 0.0 if difference == 0 else math.inf
    return difference / reference


def _difference(ours: array, golden: array) -> float:
    return _norm(a - b for a, b in zip(ours, golden))


def compare_metrics(ours: dict, golden: dict, bounds) -> list[Check]:
    for key in ("loss", "lr", "grad_norm", "tokens"):
        if len(ours[key]) != len(golden[key]):
            steps = f"{len(ours[key])} steps, expected {len(golden[key])}"
            raise Failure(f"metrics: {steps}")
    tolerances = {"loss": bounds.loss, "grad_norm": bounds.norm, "lr": LR_TOLERANCE}
    checks = []
    for key, tolerance in tolerances.items():
        for step, (a, b) in enumerate(zip(ours[key], golden[key]), start=1):
            error = abs(a - b) if key == "loss" else _relative(abs(a - b), abs(b))
            checks.append(Check(key, f"step {step}", error, tolerance))
    for step, (a, b) in enumerate(zip(ours["tokens"], golden["tokens"]), start=1):
        checks.append(Check("tokens", f"step {step}", 0.0 if a == b else math.inf, 1.0))
    return checks


def match_names(ours: dict, golden: dict, notes: dict, what: str) -> dict[str, str]:
    """Maps each name of the golden to ours; a tied weight may bear either name."""
    other_name = {kept: gone for gone, kept in notes.get("tied", {}).items()}
    names = {}
    for name in golden:
        other = other_name.get(name)
        names[name] = other if name not in ours and other in ours else name
    missing = sorted(name for name, our_name in names.items() if our_name not in ours)
    unexpected = sorted(set(ours) - set(names.values()))
    if missing or unexpected:
        raise Failure(
            f"{what}: missing parameters: {', '.join(missing) or 'none'}; "
            f"unexpected: {', '.join(unexpected) or 'none'}"
        )
    return names


def fit_rows(name: str, ours: Tensor, golden: Tensor, notes: dict) -> Tensor:
    """The golden, cut to the rows that the ONNX file holds if ours is."""
    rows = notes.get("rows_in_file", {}).get(name)
    if rows is not None and ours.shape == (rows, *golden.shape[1:]):
        return golden.rows(rows)
    if ours.shape != golden.shape:
        shapes = f"shape {list(ours.shape)}, expected {list(golden.shape)}"
        raise Failure(f"{name}: {shapes}")
    return golden


def _key_bias_checks(kind: str, name: str, a: array, b: array, bounds, scale) -> list:
    third = len(b) // 3
    checks = []
    for part, begin in (("q", 0), ("v", 2 * third)):
        ours, golden = a[begin : begin + third], b[begin : begin + third]
        error = _relative(_difference(ours, golden), _norm(golden))
        checks.append(Check(kind, f"{name} ({part})", error, getattr(bounds, kind)))
    if kind == "gradient":
        keys = _difference(a[third : 2 * third], b[third : 2 * third])
        error = _relative(keys, scale)
        # What one rounding of the tensors behind it leaves.
        tolerance = KEY_TOLERANCE * bounds.gradient / GRADIENT_TOLERANCE
        checks.append(Check(kind, f"{name} (k, of the whole)", error, tolerance))
    return checks


def compare_tensors(kind: str, ours: dict, golden: dict, notes: dict, bounds) -> list:
    names = match_names(ours, golden, notes, kind)
    scale = _norm([_norm(tensor.values) for tensor in golden.values()])
    checks = []
    for name, reference in golden.items():
        tensor = ours[names[name]]
        reference = fit_rows(name, tensor, reference, notes)
        a, b = tensor.values, reference.values
        if name in notes.get("key_biases", ()):
            checks += _key_bias_checks(kind, name, a, b, bounds, scale)
        else:
            error = _relative(_difference(a, b), _norm(b))
            checks.append(Check(kind, name, error, getattr(bounds, kind)))
    return checks


def whole_difference(ours: dict, golden: dict, notes: dict) -> float:
    """Of all gradients as one vector."""
    names = match_names(ours, golden, notes, "gradient")
    difference, whole = [], []
    for name, reference in golden.items():
        tensor = ours[names[name]]
        values = fit_rows(name, tensor, reference, notes).values
        difference.append(_difference(tensor.values, values))
        whole.append(_norm(values))
    return _relative(_norm(difference), _norm(whole))


def check_rounded(ours: dict, golden: dict, single: dict, notes: dict) -> list:
    """Fails where gradients agree with those of float32, `single`: nothing was
    rounded, or not to so few bits."""
    checks = []
    if notes.get("deep"):
        error = whole_difference(ours, golden, notes)
        checks.append(Check("gradient", "(all)", error, FP8_DEEP_WHOLE))
    distance = whole_difference(ours, single, notes)
    name = "1 / distance to float32"
    least = FP8_DISTANCE if notes.get("fp8") else BF16_DISTANCE
    checks.append(Check("gradient", name, _relative(1.0, distance), 1 / least))
    return checks


def print_report(checks: list[Check], count: int) -> None:
    shown = sorted(checks, key=lambda check: check.badness, reverse=True)[:count]
    width = max(len(check.name) for check in shown)
    print(f"{'kind':10} {'name':{width}} {'error':>9} {'bound':>9}")
    for c in shown:
        verdict = "ok" if c.passed else "TOO LARGE"
        line = f"{c.kind:10} {c.name:{width}} {c.error:9.2e} {c.tolerance:9.2e}"
        print(f"{line}  {verdict}")
    failed = sum(not check.passed for check in checks)
    print(f"{len(checks)} compared, {failed} outside the bounds")


def parse_arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("golden", type=Path, help="folder with golden.json")
    p.add_argument("--variant", help="use golden-VARIANT.json")
    p.add_argument("--metrics", type=Path, help="metrics.jsonl of the run")
    p.add_argument("--gradients", type=Path, help="step 1, as --dump-gradients writes")
    p.add_argument("--weights", type=Path, help="after the last step, safetensors")
    p.add_argument("--average", type=Path, help="of weights, as --export-ema writes")
    p.add_argument("--initial", type=Path, help="before the first step: equal bits")
    for what in ("metrics", "gradients", "weights"):
        text = "another run's, instead of the golden's"
        p.add_argument(f"--reference-{what}", type=Path, help=text)
    p.add_argument("--fresh", action="store_true", help="bounds of a new model's run")
    p.add_argument("--loss-tolerance", dest="loss", type=float, default=5e-6)
    p.add_argument(
        "--gradient-tolerance", dest="gradient", type=float, default=GRADIENT_TOLERANCE
    )
    p.add_argument("--norm-tolerance", dest="norm", type=float)
    p.add_argument("--weight-tolerance", dest="weight", type=float)
    p.add_argument("--worst", type=int, default=8, help="lines of the report")
    arguments = p.parse_args()
    if not (
        arguments.metrics
        or arguments.gradients
        or arguments.weights
        or arguments.average
        or arguments.initial
    ):
        p.error("nothing to compare: give --metrics, --gradients or --weights")
    if arguments.norm is None:
        arguments.norm = 2e-4 if arguments.fresh else 5e-5
    if arguments.weight is None:
        arguments.weight = 3e-4 if arguments.fresh else 5e-5
    return arguments


def _golden_file(arguments, golden: dict, key: str, other: Path | None) -> Path:
    if other:
        return other
    if key not in golden["files"]:
        raise Failure(f"this golden has no {key} tensors")
    return arguments.golden / golden["files"][key]


def compare_initial(arguments, golden: dict) -> list[Check]:
    """Names, shapes and values as they came in: every bit must agree."""
    ours = read_safetensors(arguments.initial)
    expected = read_safetensors(_golden_file(arguments, golden, "initial", None))
    names = match_names(ours, expected, golden, "initial")
    checks = []
    for name, reference in expected.items():
        tensor = ours[names[name]]
        same = tensor.values == fit_rows(name, tensor, reference, golden).values
        checks.append(Check("initial", name, 0.0 if same else math.inf, 1.0))
    return checks


def collect(arguments: argparse.Namespace) -> list[Check]:
    suffix = f"-{arguments.variant}" if arguments.variant else ""
    golden = json.loads((arguments.golden / f"golden{suffix}.json").read_text())
    checks: list[Check] = []
    if golden.get("bf16"):
        fp8 = FP8_DEEP if golden.get("deep") else FP8
        vars(arguments).update(fp8 if golden.get("fp8") else BF16)
    if arguments.initial:
        checks += compare_initial(arguments, golden)
    if arguments.metrics:
        reference = golden
        if arguments.reference_metrics:
            reference = read_metrics(arguments.reference_metrics)
        checks += compare_metrics(read_metrics(arguments.metrics), reference, arguments)
    tensors = (
        ("gradient", "gradients", arguments.gradients, arguments.reference_gradients),
        ("weight", "final", arguments.weights, arguments.reference_weights),
        ("weight", "average", arguments.average, None),
    )
    for kind, key, ours, other in tensors:
        if ours:
            expected = read_safetensors(_golden_file(arguments, golden, key, other))
            found = read_safetensors(ours)
            checks += compare_tensors(kind, found, expected, golden, arguments)
            if kind == "gradient" and golden.get("bf16"):
                single = read_safetensors(arguments.golden / "gradients.safetensors")
                checks += check_rounded(found, expected, single, golden)
    return checks


def main() -> int:
    arguments = parse_arguments()
    try:
        checks = collect(arguments)
    except (Failure, OSError, ValueError, KeyError) as problem:
        print(f"compare: {problem!r}" if isinstance(problem, KeyError) else problem)
        return 1
    print_report(checks, arguments.worst)
    return 0 if all(check.passed for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
