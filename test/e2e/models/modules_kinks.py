# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of check_modules.py whose values lie on kinks: on bounds and ties, where
PyTorch chooses a gradient."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import integers, linear, module

KINKS = [-3.0, -1.0, 0.0, 1.0, 3.0, 6.0, 0.5, 2.0]


def kinks():
    """A parameter of numbers that are bounds."""
    return torch.nn.Parameter(torch.tensor(KINKS))


def at_kinks(function):
    """A module that trains numbers that `function` has kinks at."""

    def forward(m, x):
        return m.head(function(m.p.expand(x.shape)) * torch.sin(x))

    forward.__name__ = function.__name__
    return module((8,), p=kinks, head=linear(8, 4))(forward)


@at_kinks
def bounds_of_clamp(p):
    return p.clamp(-1, 1) + p.clamp(min=1) + p.clamp(max=3)


@at_kinks
def bounds_of_clamp_min_and_max(p):
    return torch.clamp_min(p, 1.0) + torch.clamp_max(p, 3.0) + torch.clip(p, 0.0, 6.0)


@at_kinks
def bounds_that_are_tensors(p):
    least, most = torch.sin(p).mul(0) + 1, torch.sin(p).mul(0) + 3
    return p.clamp(least, most) + p.clamp(min=least) + torch.clamp_max(p, most)


@at_kinks
def bounds_of_hardtanh(p):
    return F.hardtanh(p) + F.hardtanh(p, -3.0, 2.0)


@at_kinks
def bounds_of_relu6(p):
    return F.relu6(p)


@at_kinks
def bounds_of_hardswish(p):
    return F.hardswish(p) + F.hardsigmoid(p)


@at_kinks
def maxima_of_two(p):
    return torch.maximum(p, torch.round(p)) + torch.minimum(p, torch.round(p))


@module((6, 8), a=linear(8, 8), head=linear(6, 4))
def ties_of_max_along_one(m, x):
    y = F.relu(m.a(x) - 1)
    return m.head(y.max(2)[0] + (y - F.relu(m.a(x) + 1)).clamp(max=-1).min(2)[0])


@module((6, 8), a=linear(8, 8), head=linear(6, 4))
def ties_of_amax(m, x):
    y = F.relu(m.a(x) - 1)
    return m.head(y.amax(2) + (y - 1).amin(2))


@module((2, 8, 8), head=linear(2, 4), w=lambda: torch.nn.Parameter(torch.ones(2, 1, 1)))
def ties_of_adaptive_max_pool(m, x):
    y = torch.round(0.2 * x) * m.w
    return m.head(F.adaptive_max_pool2d(y, 1).flatten(1))


@module(
    {"x": integers(6, 5)},
    table=lambda: torch.nn.Embedding(6, 8, scale_grad_by_freq=True),
    head=linear(8, 4),
    refused="E0301",
)
def gradients_by_frequency(m, x):
    return m.head(m.table(x).mean(1))
