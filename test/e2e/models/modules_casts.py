# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of f32 weights that compute in other floats in between."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import linear, module, normal


# The optimizing exporter folds the casts of weights.
FOLDED = {"dynamo": "E0401"}


def between_layers(forward=None, **how):
    register = module((6,), a=linear(6, 8), b=linear(8, 8), head=linear(8, 4), **how)
    return register(forward) if forward else register


@between_layers
def doubles_of_tanh_and_erf(m, x):
    h = m.a(x).double()
    return m.head((torch.tanh(h) + torch.erf(0.7 * h)).to(x.dtype))


@between_layers
def doubles_of_gelu_and_mish(m, x):
    return m.head(F.mish(F.gelu(m.a(x).double())).to(x.dtype))


@between_layers(refused=FOLDED)
def doubles_of_a_product(m, x):
    w = m.b.weight.double()
    return m.head(torch.einsum("bi,oi->bo", torch.tanh(m.a(x)).double(), w).to(x.dtype))


@module(
    (4, 5, 5),
    refused=FOLDED,
    a=lambda: torch.nn.Conv2d(4, 3, 3),
    head=linear(27, 4),
)
def doubles_of_a_convolution(m, x):
    w, b = m.a.weight.double(), m.a.bias.double()
    return m.head(F.conv2d(x.double(), w, b).flatten(1).to(x.dtype))


# A gradient is rounded before it is divided by the count of samples, and after that
# in PyTorch: the same for a power of two, which whole microbatches have.
@between_layers(mixes=True, refused=FOLDED)
def half_of_a_product(m, x):
    return m.head((torch.tanh(x).half() @ m.a.weight.half().t()).to(x.dtype))


@between_layers(mixes=True)
def bfloat16_of_numbers(m, x):
    h = m.a(x).bfloat16()
    return m.head(torch.relu(h * h.flip(1)).to(x.dtype))
