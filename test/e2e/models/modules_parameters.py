# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules whose parameters are equal, tied, shared, unused or of odd shapes."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from modules import (
    EQUAL,
    FOLDED,
    filled,
    integers,
    linear,
    module,
    normal,
    part,
    weights,
    zeros_linear,
)
from torch import nn


@module((16,), a=linear(16, 8, bias=False), head=linear(16, 4))
def tied_to_its_transpose(m, x):
    return m.head(torch.tanh(m.a(x)) @ m.a.weight)


@module(
    (3, 8, 8),
    a=filled(1.0, 3, 1, 1),
    b=filled(1.0, 3, 1, 1),
    head=linear(3, 4),
    refused=EQUAL,
)
def equal_scales(m, x):
    return m.head((torch.sin(x * m.a) + torch.cos(x * m.b)).mean((2, 3)))


@module((16,), a=filled(0.0, 16), b=filled(0.0, 16), head=linear(16, 4), refused=EQUAL)
def equal_shifts(m, x):
    return m.head(torch.sin(x + m.a) + torch.exp(-((x + m.b) ** 2)))


def twins(make):
    def build():
        first = make()
        return nn.ModuleList([first, copy.deepcopy(first)])

    return build


@module((16,), twins=twins(linear(16, 16)), head=linear(32, 4), refused=EQUAL)
def equal_layers(m, x):
    a, b = m.twins
    return m.head(torch.cat([torch.sin(a(x)), torch.tanh(b(x))], -1))


@module((16,), twins=twins(linear(16, 16)), head=linear(16, 4), refused=EQUAL)
def equal_layers_behind_functions(m, x):
    a, b = m.twins
    return m.head(torch.tanh(a(x)) + torch.tanh(b(x)))


def _tower():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))


@module((16,), twins=twins(_tower), head=linear(8, 4))
def equal_towers(m, x):
    a, b = m.twins
    return m.head(a(x[:, :8]) * b(x[:, 8:]))


@module(
    (16,), a=linear(16, 16), b=zeros_linear(16, 4), c=zeros_linear(16, 4), refused=EQUAL
)
def heads_of_zeros(m, x):
    y = torch.tanh(m.a(x))
    return m.b(y) + 2 * torch.sin(m.c(y))


@module(
    (12, 16),
    a=linear(16, 16),
    b=linear(16, 16),
    scale=filled(0.1, 16),
    other=filled(0.1, 16),
    head=linear(16, 4),
)
def equal_layer_scales(m, x):
    x = x + m.scale * m.a(x)
    return m.head((x + m.other * torch.tanh(m.b(x))).mean(1))


@module(
    (12, 16),
    p=nn.PReLU,
    q=nn.PReLU,
    a=linear(16, 16),
    head=linear(16, 4),
    refused=EQUAL,
)
def equal_slopes(m, x):
    y = m.a(x)
    return m.head((m.p(y) + m.q(y) * torch.tanh(y)).mean(1))


def zeros_table(*sizes):
    def make():
        table = nn.Embedding(*sizes)
        nn.init.zeros_(table.weight)
        return table

    return make


@module(
    (12, 16),
    places=zeros_table(12, 16),
    kinds=zeros_table(2, 16),
    head=linear(16, 4),
    refused=EQUAL,
)
def tables_of_zeros(m, x):
    at = torch.arange(12)
    return m.head(torch.sin(x + m.places(at) + m.kinds(at % 2) * 2).mean(1))


@module((16,), a=linear(16, 8), b=linear(16, 8), head=linear(8, 4), refused=FOLDED)
def sum_of_weights(m, x):
    return m.head(F.linear(x, m.a.weight + m.b.weight, m.a.bias))


@module((16,), a=linear(16, 16), head=linear(16, 4))
def layer_called_twice(m, x):
    return m.head(torch.tanh(m.a(torch.tanh(m.a(x)))))


@module((8,), used=linear(8, 8), unused=linear(8, 8), head=linear(8, 4))
def parameter_not_used(m, x):
    return m.head(torch.tanh(m.used(x)) + 0.0)


@module((8,), used=linear(8, 8), other=linear(8, 8), head=linear(8, 4))
def parameter_used_times_zero(m, x):
    return m.head(torch.tanh(m.used(x)) + m.other(x) * 0.0)


@module(
    (8,),
    scale=filled(1.0),
    shift=filled(0.0),
    a=linear(8, 8),
    head=linear(8, 4),
    refused={"dynamo": "E0405"},
)
def parameters_that_are_scalars(m, x):
    return m.head(torch.sin(m.scale * m.a(x) + m.shift)) * m.scale


@module(
    (6, 8),
    refused=EQUAL,
    a=linear(8, 8),
    p=filled(0.0),
    q=filled(0.0),
    head=linear(8, 4),
)
def parameters_equal_to_numbers(m, x):
    y = torch.where(x > 0, m.a(x), m.p) + torch.where(x > 1, m.q, x)
    return m.head(y.mean(1))


@module((6, 8), refused=EQUAL, a=linear(8, 8), scale=filled(0.1), head=linear(8, 4))
def parameter_equal_to_a_factor(m, x):
    return m.head((m.a(x) * 0.1 + (m.scale * x).sin()).mean(1))


@module(
    (5, 8),
    row=weights(8),
    column=weights(5, 1),
    one=weights(1),
    all=weights(1, 1, 1),
    head=linear(8, 4),
    refused=FOLDED,
)
def parameters_that_broadcast(m, x):
    y = m.row - x * m.column
    return m.head(torch.tanh(y / (1 + m.one**2) + m.all * m.row * m.column).mean(1))


@module((5, 8), a=weights(5, 8), b=weights(5, 1), head=linear(8, 4), refused=FOLDED)
def parameters_times_parameters(m, x):
    y = torch.tanh(x + m.a * m.b)
    return m.head((y * m.a.sigmoid()).sum(1))


@module(
    (8,),
    table=lambda: torch.linspace(-1, 1, 8),
    count=lambda: torch.tensor(3.0),
    a=linear(8, 8),
    head=linear(8, 4),
)
def buffers(m, x):
    return m.head(torch.sin(m.a(x * m.table) / m.count))


@module((8,), a=linear(8, 8), head=linear(8, 4))
def one_layer_forwards_and_backwards(m, x):
    y = torch.tanh(m.a(x))
    return m.head(torch.tanh(F.linear(y, m.a.weight.t())) + m.a.bias)


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4))
def one_bias_of_two_layers(m, x):
    y = F.linear(x, m.a.weight, m.b.bias)
    return m.head(torch.tanh(F.linear(torch.tanh(y), m.b.weight, m.b.bias) - m.a.bias))


@module((1,), a=linear(1, 1), head=linear(1, 4))
def sizes_of_one(m, x):
    return m.head(torch.sin(m.a(x)) + x.squeeze(-1)[:, None])


@module(
    (8,),
    a=linear(8, 8, bias=False),
    mask=lambda: (torch.arange(64).reshape(8, 8) % 3 > 0).float(),
    head=linear(8, 4),
    refused=FOLDED,
)
def weight_masked(m, x):
    return m.head(torch.tanh(F.linear(x, m.a.weight * m.mask)))


@module((8,), a=weights(6, 8), head=linear(3, 4), refused=FOLDED)
def rows_of_one_weight(m, x):
    return m.head(torch.tanh(x @ m.a[:3].T) * (x @ m.a[3:].T))


@module((8,), a=weights(16, 8), head=linear(4, 4), refused=FOLDED)
def weight_split_and_reshaped(m, x):
    first, second = m.a.reshape(2, 8, 8).unbind(0)
    y = torch.tanh(x @ first) @ second
    return m.head(y.reshape(-1, 2, 4).transpose(1, 2)[..., 0])


@module(
    (8,),
    a=lambda: nn.ParameterList([nn.Parameter(torch.ones(8)) for _ in range(3)]),
    head=linear(8, 4),
)
def parameters_in_a_list(m, x):
    for each in m.a:
        x = torch.sin(x * each)
    return m.head(x)


@module(
    (16,),
    refused=FOLDED,
    a=lambda: nn.utils.parametrizations.weight_norm(nn.Linear(16, 16)),
    head=linear(16, 4),
)
def weight_norm(m, x):
    return m.head(torch.tanh(m.a(x)))


@module(
    (16,),
    a=lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(16, 16)),
    head=linear(16, 4),
    refused={"dynamo": "E0401", "unoptimized": "E0406"},
)
def spectral_norm(m, x):
    return m.head(torch.tanh(m.a(x)))


@module(
    (16,),
    a=lambda: nn.utils.parametrizations.orthogonal(
        nn.Linear(8, 8), orthogonal_map="cayley"
    ),
    b=linear(16, 8),
    head=linear(8, 4),
    refused="export",
)
def orthogonal_weight(m, x):
    return m.head(torch.tanh(m.a(m.b(x))))
