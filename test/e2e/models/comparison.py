# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch against itself: float32 against double, and against mistakes.

The first says how tight a bound can be, the second how tight it must be.
"""

from __future__ import annotations

import dataclasses

import torch
from groups import Groups
from training import Result


def _relative(a: torch.Tensor, b: torch.Tensor) -> float:
    a, b = a.double(), b.double()
    return ((a - b).norm() / b.norm().clamp_min(1e-30)).item()


def _worst(ours: dict, reference: dict, key_biases) -> tuple[float, str]:
    """The worst norm-wise error; of a merged qkv bias, the q and the v part."""
    worst = (0.0, "")
    for name, b in reference.items():
        a = ours[name]
        if name in key_biases:
            third = len(b) // 3
            parts = [(a[:third], b[:third]), (a[2 * third :], b[2 * third :])]
        else:
            parts = [(a, b)]
        for part_a, part_b in parts:
            worst = max(worst, (_relative(part_a, part_b), name))
    return worst


def _scalars(ours: list[float], reference: list[float]) -> tuple[float, float]:
    """The largest absolute and the largest relative difference."""
    pairs = list(zip(ours, reference))
    absolute = max(abs(a - b) for a, b in pairs)
    return absolute, max(abs(a - b) / abs(b) for a, b in pairs)


def _key_share(ours: Result, reference: Result, key_biases) -> float:
    """Difference of the key biases' gradients, in global gradient norms."""
    worst = 0.0
    for name in key_biases:
        a, b = ours.gradients[name].double(), reference.gradients[name].double()
        third = len(b) // 3
        part = (a - b)[third : 2 * third].norm().item()
        worst = max(worst, part / reference.grad_norm[0])
    return worst


def _print_row(title: str, ours: Result, reference: Result, key_biases) -> None:
    gradient, _ = _worst(ours.gradients, reference.gradients, key_biases)
    loss, loss_relative = _scalars(ours.loss, reference.loss)
    _, norm = _scalars(ours.grad_norm, reference.grad_norm)
    final, name = _worst(ours.final, reference.final, key_biases)
    key = _key_share(ours, reference, key_biases)
    print(
        f"| {title} | {gradient:.1e} | {loss:.1e} | {loss_relative:.1e} | {norm:.1e} "
        f"| {final:.1e} ({name}) | {key:.1e} |"
    )


def _mistakes(variant):
    """Plausible mistakes, each of which the bounds must notice."""
    optimizer = variant.optimizer
    replace = dataclasses.replace
    if optimizer.weight_decay > 0:
        yield "no decay", replace(optimizer, weight_decay=0.0)
        yield "decay on every tensor", replace(optimizer, decay_everything=True)
    yield "no clipping", replace(optimizer, clip_norm=1e9)
    if optimizer.kind == "adamw":
        yield "eps 1e-7", replace(optimizer, eps=1e-7)


def _group_mistakes(groups: Groups):
    """The same of groups."""
    replace = dataclasses.replace
    for i, rule in enumerate(groups.rules):
        others = groups.rules[:i] + groups.rules[i + 1 :]
        yield f"without '{rule.flag()}'", replace(groups, rules=others)
    if groups.layer_decay != 1:
        yield "no decay of layers", replace(groups, layer_decay=1.0)
    if groups.decay != "rank":
        yield "decay by rank", replace(groups, decay="rank")


def print_comparison(name: str, model, run_variant) -> None:
    print(f"\n{name}: gradients, loss (absolute, relative), norm, final weights, keys")
    for variant in model.variants:
        # In fp8 there is nothing to compare in double.
        if variant.name in ("shifted",) or variant.fp8:
            continue
        title = f"{name} {variant.name}".strip()
        reference = run_variant(name, model, variant, model.build().double())
        single = run_variant(name, model, variant, model.build())
        keys = model.key_biases
        _print_row(f"{title}: float32 against double", single, reference, keys)
        for mistake, optimizer in _mistakes(variant):
            wrong = dataclasses.replace(variant, optimizer=optimizer)
            result = run_variant(name, model, wrong, model.build().double())
            _print_row(f"{title}: {mistake}", result, reference, keys)
        for mistake, groups in _group_mistakes(variant.groups):
            wrong = dataclasses.replace(variant, groups=groups)
            result = run_variant(name, model, wrong, model.build().double())
            _print_row(f"{title}: {mistake}", result, reference, keys)
        if variant.schedule.kind != "constant":
            late = dataclasses.replace(
                variant.schedule, warmup_steps=variant.schedule.warmup_steps + 1
            )
            wrong = dataclasses.replace(variant, schedule=late)
            result = run_variant(name, model, wrong, model.build().double())
            _print_row(f"{title}: warm-up one step longer", result, reference, keys)
