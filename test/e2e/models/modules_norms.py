# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of norms: behind each other, beside each other, with equal parameters."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import EQUAL, FOLDED, MERGED, conv, linear, module, part, weights, zeros_linear
from torch import nn


@module(
    (3, 16, 16),
    a=conv(3, 8, 3, padding=1),
    instance=part(nn.InstanceNorm2d, 8, affine=True),
    b=conv(8, 8, 3, padding=1, padding_mode="reflect"),
    group=part(nn.GroupNorm, 1, 8),
    head=linear(8, 4),
)
def norms_of_instances_and_groups(m, x):
    return m.head(m.group(m.b(m.instance(m.a(x)))).square().mean((2, 3)))


@module(
    (3, 16, 16),
    mixes=True,
    refused=MERGED,
    a=conv(3, 8, 3, padding=1, bias=False),
    n=part(nn.BatchNorm2d, 8),
    b=conv(8, 8, 3, stride=2, bias=False),
    o=part(nn.BatchNorm2d, 8),
    head=linear(8, 4),
)
def batch_norm_behind_convolution(m, x):
    y = F.silu(m.n(m.a(x)))
    return m.head(F.silu(m.o(m.b(y))).mean((2, 3)))


def moved_batch_norm(channels):
    def make():
        norm = nn.BatchNorm2d(channels)
        nn.init.uniform_(norm.bias)
        nn.init.uniform_(norm.weight)
        return norm

    return make


@module(
    (3, 16, 16),
    mixes=True,
    refused=MERGED,
    a=conv(3, 8, 3),
    norm=moved_batch_norm(8),
    head=linear(8, 4),
)
def batch_norm_behind_bias(m, x):
    return m.head(F.silu(m.norm(m.a(x))).mean((2, 3)))


@module(
    (3, 16, 16),
    mixes=True,
    refused=MERGED,
    a=part(nn.ConvTranspose2d, 3, 8, 3, bias=False),
    norm=part(nn.BatchNorm2d, 8),
    head=linear(8, 4),
)
def batch_norm_behind_transposed(m, x):
    return m.head(F.silu(m.norm(m.a(x))).mean((2, 3)))


@module(
    (16,),
    mixes=True,
    refused=MERGED,
    a=linear(16, 8, bias=False),
    norm=part(nn.BatchNorm1d, 8),
    head=linear(8, 4),
)
def batch_norm_behind_linear(m, x):
    return m.head(F.silu(m.norm(m.a(x))))


@module(
    (16,), mixes=True, norm=part(nn.BatchNorm1d, 16), a=linear(16, 8), head=linear(8, 4)
)
def batch_norm_first(m, x):
    return m.head(F.silu(m.a(m.norm(x))))


@module(
    (16,),
    mixes=True,
    a=linear(16, 16),
    norm=part(nn.BatchNorm1d, 16),
    head=linear(16, 4),
)
def batch_norm_before_linear(m, x):
    return m.head(m.norm(torch.tanh(m.a(x))))


@module(
    (3, 16, 16),
    mixes=True,
    norm=part(nn.BatchNorm2d, 3),
    a=conv(3, 8, 3),
    head=linear(8, 4),
)
def batch_norm_before_convolution(m, x):
    return m.head(F.silu(m.a(m.norm(x))).mean((2, 3)))


@module(
    (3, 8, 8),
    mixes=True,
    a=conv(3, 8, 3),
    n=part(nn.BatchNorm2d, 8),
    o=part(nn.BatchNorm2d, 8),
    head=linear(8, 4),
    refused=EQUAL,
)
def batch_norms_beside_each_other(m, x):
    y = m.a(x).tanh()
    return m.head((torch.sigmoid(m.n(y)) * torch.tanh(m.o(y))).mean((2, 3)))


@module(
    (12, 16),
    n=part(nn.LayerNorm, 16),
    o=part(nn.LayerNorm, 16),
    a=linear(16, 16),
    b=linear(16, 16),
    head=linear(16, 4),
    refused=EQUAL,
)
def layer_norms_beside_each_other(m, x):
    return m.head((x + m.a(m.n(x)) + m.b(m.o(x)).tanh()).mean(1))


@module(
    (12, 16),
    n=part(nn.RMSNorm, 16),
    o=part(nn.RMSNorm, 16),
    a=linear(16, 16),
    b=linear(16, 16),
    head=linear(16, 4),
    refused=EQUAL,
)
def rms_norms_beside_each_other(m, x):
    return m.head((x + m.a(m.n(x)) + m.b(m.o(x)).tanh()).mean(1))


@module(
    (3, 8, 8),
    a=conv(3, 8, 3),
    n=part(nn.GroupNorm, 2, 8),
    o=part(nn.GroupNorm, 2, 8),
    head=linear(8, 4),
    refused=EQUAL,
)
def group_norms_beside_each_other(m, x):
    y = m.a(x)
    return m.head((torch.sigmoid(m.n(y)) * torch.tanh(m.o(y))).mean((2, 3)))


@module(
    (12, 16),
    norm=part(nn.LayerNorm, 16, elementwise_affine=False),
    modulation=zeros_linear(16, 48),
    a=linear(16, 16),
    head=linear(16, 4),
)
def layer_norm_modulated(m, x):
    scale, shift, gate = m.modulation(F.silu(x.mean(1)))[:, None].chunk(3, -1)
    y = m.a(m.norm(x) * (1 + scale) + shift)
    return m.head((x + (1 + gate) * y).mean(1))


@module((5, 16), gain=weights(16), head=linear(16, 4), refused=FOLDED)
def rms_norm_one_plus_weight(m, x):
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
    return m.head((y * (1 + m.gain)).tanh().mean(1))


@module((5, 6, 4), norm=part(nn.LayerNorm, (6, 4)), head=linear(24, 4))
def layer_norm_of_two_axes(m, x):
    return m.head(torch.sin(m.norm(x)).mean(1).flatten(1))


@module((6, 5, 5), norm=part(nn.LayerNorm, 6), a=conv(6, 6, 1), head=linear(6, 4))
def layer_norm_of_channels(m, x):
    y = m.norm(m.a(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    return m.head(torch.sin(y).mean((2, 3)))


@module(
    (8, 9),
    a=part(nn.Conv1d, 8, 8, 3),
    norm=part(nn.InstanceNorm1d, 8),
    head=linear(8, 4),
)
def instance_norm_of_rows(m, x):
    return m.head(m.norm(m.a(x)).relu().mean(-1))


@module((5, 16), mixes=True, norm=part(nn.BatchNorm1d, 5), head=linear(16, 4))
def batch_norm_of_positions(m, x):
    return m.head(torch.sin(m.norm(x)).mean(1))


@module(
    (16,),
    mixes=True,
    norm=part(nn.BatchNorm1d, 16, affine=False, momentum=None),
    a=linear(16, 16),
    head=linear(16, 4),
    refused="export",
)
def batch_norm_without_parameters(m, x):
    return m.head(m.norm(m.a(x).tanh()).tanh())


@module(
    (16,),
    mixes=True,
    a=linear(16, 16),
    norm=part(nn.BatchNorm1d, 16, track_running_stats=False),
    head=linear(16, 4),
)
def batch_norm_without_statistics(m, x):
    return m.head(torch.sin(m.norm(m.a(x))))


@module((16,), a=linear(16, 16), head=linear(16, 4))
def norm_by_the_largest(m, x):
    y = m.a(x)
    return m.head(y / y.abs().amax(-1, keepdim=True).clamp_min(1e-6))


@module(
    (6, 16),
    norm=part(nn.LayerNorm, 16, bias=False),
    a=linear(16, 16),
    head=linear(16, 4),
)
def layer_norm_called_thrice(m, x):
    for _ in range(3):
        x = m.norm(x + m.a(m.norm(x)))
    return m.head(x.amin(1))


@module((6, 7), mixes=True, scale=weights(7), head=linear(7, 4))
def centred_over_the_batch(m, x):
    y = torch.sin(x * m.scale)
    return m.head((y - y.mean(0)).square().sum(1))


@module(
    (6, 8),
    refused=EQUAL,
    n=part(nn.LayerNorm, 8),
    o=part(nn.LayerNorm, 8),
    head=linear(8, 4),
)
def layer_norms_twice_each(m, x):
    a, b = m.n(x), m.o(x)
    return m.head((m.n(a.sin()) * 2 + m.o(b.cos())).sin().mean(1))


@module(
    (8,),
    mixes=True,
    first=part(nn.LayerNorm, 8),
    norm=part(nn.BatchNorm1d, 8), head=linear(8, 4)
)
def batch_norm_behind_layer_norm(m, x):
    return m.head(torch.sin(m.norm(m.first(x))))


@module(
    (8,),
    mixes=True,
    first=part(nn.BatchNorm1d, 8),
    norm=part(nn.BatchNorm1d, 8),
    head=linear(8, 4)
)
def batch_norm_behind_batch_norm(m, x):
    return m.head(torch.sin(m.norm(torch.relu(m.first(x)))))


@module(
    (2, 8),
    mixes=True,
    refused="E0206",
    a=linear(8, 8),
    norm=part(nn.BatchNorm1d, 8),
    head=linear(8, 4),
)
def batch_norm_of_two_views(m, x):
    # As SimSiam's: the exporter takes the weight of the second call for statistics.
    first, second = (m.norm(m.a(each)) for each in x.unbind(1))
    return m.head(torch.sin(first) + torch.cos(second))
