# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the gradients that accel-run dumps with those of a module of PyTorch."""

from __future__ import annotations

import torch
from torch import nn

# What is nothing but rounding, such as a key's bias, is measured by this part of
# the norm of all gradients.
SMALLEST_SHARE = 1e-3


def pair_gradients(module: nn.Module, ours: dict, theirs: dict) -> dict[str, tuple]:
    """Of each parameter both gradients, where ours is None if there is none."""
    names: dict[int, list[str]] = {}  # a tied parameter has several
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    parameters = dict(module.named_parameters())
    pairs = {}
    for name, b in theirs.items():
        known = [ours[n] for n in names[id(parameters[name])] if n in ours]
        a = known[0].double() if known else None
        if known and a.numel() < b.numel():
            # Of a table of positions the file has the rows of this length.
            first = int((b.abs().sum(1) > 0).nonzero()[0])
            b = b[first : first + a.numel() // b.shape[1]]
        if known and a.numel() != b.numel():
            a = None
        pairs[name] = (a if a is None else a.reshape(b.shape), b.double())
    return pairs


def compare_gradients(module: nn.Module, ours: dict, theirs: dict) -> dict:
    """The worst one, and the parameters that have none of their shape."""
    pairs = pair_gradients(module, ours, theirs)
    whole = torch.cat([b.flatten() for _, b in pairs.values()]).norm().item()
    worst, missing = (0.0, ""), []
    for name, (a, b) in pairs.items():
        norm = b.norm().item()
        if a is not None:
            share = (a - b).norm().item() / (max(norm, SMALLEST_SHARE * whole) or 1.0)
            worst = max(worst, (share, name))
        elif norm > 1e-7 * whole:  # otherwise nothing depends on it
            missing.append(name)
    return {"gradient": worst[0], "of": worst[1], "missing": missing}
