# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and trains a module of check_modules.py with each set of accelc's flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from programs import Refusal, StageError, compile_model


@dataclass(frozen=True)
class Flags:
    flags: tuple[str, ...]
    # Of the difference to the plan without flags, in norms of all gradients; None
    # where other parameters train, or this machine cannot run the plan.
    bound: float | None
    ranks: int = 1
    # Codes of errors that the flags may meet in a module that is not made for them.
    refused: tuple[str, ...] = ()


SETS = (
    Flags(("--bf16",), 0.1),
    Flags(("--fp16", "--loss-scale=256"), 0.03),
    Flags(("--fp8",), 0.5, refused=("E0505",)),
    Flags(("--fsdp",), 1e-5, ranks=2),
    Flags(("--zero=2",), 1e-5, ranks=2),
    Flags(("--lora=rank=2",), None, refused=("E0507",)),
    Flags(("--bf16", "--fsdp"), 0.1, ranks=2),
    Flags(("--sparse-prediction",), 1e-5, refused=("E0604",)),
    Flags(("--bf16", "--target=compute_90"), None),
)


def _distance(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> float:
    whole = torch.cat([b[name].flatten() for name in sorted(b)])
    other = torch.cat([a[name].flatten() for name in sorted(b)])
    return ((other - whole).norm() / whole.norm().clamp_min(1e-30)).item()


def _try(case: Flags, ours: tuple, folder: Path, compiled: list[str], run) -> str:
    """What is wrong, or nothing."""
    try:
        compile_model(["-o", "flags.plan", *compiled, *case.flags], folder)
        if "--target=compute_90" in case.flags:
            return ""
        loss, gradients = run(folder, case.ranks)
    except Refusal as error:
        return "" if error.code in case.refused else f"{error.code} {error}"
    except StageError as error:
        return f"{error.stage}: {error}"
    if case.bound is None:
        return ""
    distance = _distance(gradients, ours[1])
    return "" if distance <= case.bound else f"gradients differ by {distance:.1e}"


def check_flags(ours: tuple, folder: Path, compiled: list[str], run: Callable) -> dict:
    """`ours`: loss and gradients without flags.  `run(folder, ranks)` trains a step
    of flags.plan."""
    faults = {}
    for case in SETS:
        said = _try(case, ours, folder, compiled, run)
        if said:
            faults[" ".join(case.flags)] = said[:400]
    return {"stage": "FAILED" if faults else "pass", **faults}
