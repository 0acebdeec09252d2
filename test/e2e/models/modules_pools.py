# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules that pool, resize and rearrange images."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import conv, linear, module, part
from torch import nn


@module((3, 16, 16), a=conv(3, 16, 3, padding=1), out=conv(4, 4, 3))
def pixel_shuffle(m, x):
    return m.out(torch.tanh(F.pixel_shuffle(m.a(x), 2))).mean((2, 3))


@module((3, 16, 16), a=conv(3, 8, 3, padding=1), head=linear(144, 4))
def pools_of_means(m, x):
    y = m.a(x)
    pools = [F.avg_pool2d(y, 5, 5), F.adaptive_avg_pool2d(y, (3, 3))]
    return m.head(torch.cat([each.flatten(1) for each in pools], 1))


@module((3, 11, 11), a=conv(3, 8, 3), head=linear(16, 4))
def pools_of_maxima(m, x):
    y = m.a(x)
    a = F.max_pool2d(y, 3, stride=2, padding=1)
    b = F.max_pool2d(y, 2, dilation=2, ceil_mode=True)
    return m.head(torch.cat([a.mean((2, 3)), b.mean((2, 3))], 1))


@module((3, 11, 11), a=conv(3, 8, 3), head=linear(8, 4))
def pools_of_powers(m, x):
    y = F.softplus(m.a(x))
    y = F.lp_pool2d(y, 2, 3) + F.avg_pool2d(y, 3, 3, count_include_pad=False)
    return m.head(y.mean((2, 3)))


@module((3, 8, 8), a=conv(3, 8, 3, padding=1), head=linear(16, 4))
def pools_of_means_by_a_divisor(m, x):
    y = torch.sin(m.a(x))
    y = F.avg_pool2d(y, 3, 2, padding=1, count_include_pad=False, divisor_override=5)
    return m.head(F.avg_pool3d(y[:, None], 2, divisor_override=3).flatten(1))


@module((3, 12, 12), a=conv(3, 8, 3, padding=1), head=linear(8 * 9, 4))
def pools_adaptive_maximum(m, x):
    return m.head(F.adaptive_max_pool2d(m.a(x), 3).flatten(1))


@module((3, 7, 7), a=conv(3, 4, 3, padding=1), head=linear(16, 4))
def resized_four_ways(m, x):
    y = torch.tanh(m.a(x))
    sizes = {"size": (10, 12)}
    ways = [
        F.interpolate(y, mode="nearest", **sizes),
        F.interpolate(y, mode="bicubic", align_corners=True, **sizes),
        F.interpolate(y, mode="bilinear", align_corners=True, **sizes),
        F.interpolate(y, mode="bicubic", scale_factor=0.5),
    ]
    return m.head(torch.cat([each.square().mean((2, 3)) for each in ways], 1))


@module((3, 8, 8), a=conv(3, 4, 1), b=conv(16, 8, 1), head=linear(8, 4))
def pixel_unshuffle(m, x):
    return m.head(torch.sin(m.b(F.pixel_unshuffle(m.a(x), 2))).mean((2, 3)))


@module((8, 6, 6), a=conv(8, 8, 1), b=conv(8, 8, 3, groups=4), head=linear(8, 4))
def channel_shuffle(m, x):
    return m.head(torch.sin(m.b(F.channel_shuffle(m.a(x), 4))).mean((2, 3)))


@module((3, 8, 8), a=conv(3, 4, 3, padding=1), mix=linear(36, 18), head=linear(2, 4))
def unfolded_and_folded(m, x):
    rows = F.unfold(m.a(x), 3, stride=2, padding=1).transpose(1, 2)
    y = F.fold(torch.tanh(m.mix(rows)).transpose(1, 2), (8, 8), 3, stride=2, padding=1)
    return m.head(y.square().mean((2, 3)))


@module(
    (3, 8, 8),
    flow=conv(3, 2, 3, padding=1),
    a=conv(3, 8, 3, padding=1),
    head=linear(8, 4),
)
def grid_sampled(m, x):
    grid = torch.tanh(m.flow(x)).permute(0, 2, 3, 1)
    y = F.grid_sample(
        m.a(x), grid, mode="bilinear", padding_mode="zeros", align_corners=True
    )
    return m.head(torch.sin(y).mean((2, 3)))


@module(
    (3, 4, 6, 6),
    a=part(nn.Conv3d, 3, 4, (2, 3, 3), groups=1, padding=(1, 0, 1)),
    head=linear(4, 4),
)
def pools_of_volumes(m, x):
    y = F.max_pool3d(m.a(x), 2) + F.avg_pool3d(m.a(x), 2)
    return m.head(F.adaptive_avg_pool3d(torch.sin(y), 1).flatten(1))


@module(
    (3, 10, 10), a=conv(3, 8, 3), norm=part(nn.LocalResponseNorm, 3), head=linear(8, 4)
)
def local_response_norm(m, x):
    return m.head(m.norm(3 * m.a(x)).square().mean((2, 3)))


@module((3, 7, 7), a=conv(3, 8, 3, padding=1), head=linear(16, 4))
def pools_larger_than_the_input(m, x):
    # As Hugging Face's EfficientNet ends.
    y = torch.tanh(m.a(x))
    pools = [
        F.avg_pool2d(y, 1280, ceil_mode=True),
        F.max_pool2d(y, (9, 7), stride=(9, 5), ceil_mode=True),
    ]
    return m.head(torch.cat([each.flatten(1) for each in pools], 1))
