# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of convolutions, pools and what else happens to images."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from modules import FOLDED, conv, filled, linear, module, part, weights
from torch import nn

conv1 = functools.partial(part, nn.Conv1d)


@module(
    (3, 12, 12),
    a=conv(3, 16, 3, padding=1),
    b=conv(16, 32, 3, stride=2, padding=1),
    c=conv(32, 32, 2),
    head=linear(32, 4),
)
def convolution_mean_of_image(m, x):
    return m.head(m.c(F.silu(m.b(F.silu(m.a(x))))).mean((2, 3)))


@module((3, 12, 12), a=conv(3, 16, 3), b=conv(16, 4, 3, stride=3))
def convolution_last_summed(m, x):
    return m.b(torch.tanh(m.a(x))).sum((2, 3))


@module((3, 12, 12), a=conv(3, 16, 1, stride=2), b=conv(16, 4, 1, stride=2))
def convolution_last_of_one_element(m, x):
    return m.b(torch.tanh(m.a(x))).mean((2, 3))


@module(
    (3, 12, 12),
    a=conv(3, 8, 3, padding=1),
    down=conv(8, 16, 3, stride=2, padding=1),
    up=part(nn.ConvTranspose2d, 16, 8, 2, stride=2),
    out=conv(16, 4, 1),
)
def unet_transposed(m, x):
    a = F.gelu(m.a(x))
    return m.out(torch.cat([a, m.up(F.gelu(m.down(a)))], 1)).mean((2, 3))


@module(
    (3, 12, 12),
    a=conv(3, 8, 3, padding=1),
    down=conv(8, 16, 3, stride=2, padding=1),
    out=conv(24, 4, 3),
)
def unet_bilinear(m, x):
    a = F.gelu(m.a(x))
    up = F.interpolate(F.gelu(m.down(a)), scale_factor=2, mode="bilinear")
    return m.out(torch.cat([a, up], 1)).mean((2, 3))


@module(
    (16, 20),
    a=conv1(16, 16, 3, dilation=2),
    b=conv1(16, 16, 3, dilation=4, groups=4),
    head=linear(16, 4),
)
def convolution_causal_dilated(m, x):
    return m.head(m.b(F.gelu(m.a(F.pad(x, (4, 0)))))[:, :, -1])


@module(
    (16, 20),
    a=conv1(16, 32, 5, padding=2),
    norm=part(nn.GroupNorm, 4, 16),
    head=linear(16, 4),
)
def convolution_gated(m, x):
    return m.head(m.norm(F.glu(m.a(x), 1) + x).amax(-1))


@module(
    (3, 16, 16),
    a=conv(3, 16, 3, padding=1),
    squeeze=conv(16, 4, 1),
    excite=conv(4, 16, 1),
    head=linear(16, 4),
)
def squeeze_excite(m, x):
    y = m.a(x)
    scale = m.excite(F.silu(m.squeeze(y.mean((2, 3), keepdim=True))))
    return m.head(F.adaptive_avg_pool2d(y * torch.sigmoid(scale), 1).flatten(1))


@module(
    (3, 16, 16),
    a=conv(3, 8, 1),
    depth=conv(8, 16, 5, stride=2, padding=2, groups=8),
    point=conv(16, 8, 1),
    head=linear(8, 4),
)
def convolution_depthwise(m, x):
    y = m.point(F.gelu(m.depth(F.gelu(m.a(x)))))
    return m.head(F.hardswish(y).mean((2, 3)))


@module(
    (3, 8, 8, 8),
    a=part(nn.Conv3d, 3, 8, 3, padding=1, stride=2),
    b=part(nn.ConvTranspose3d, 8, 4, 3, stride=2, padding=1, output_padding=1),
)
def convolution_of_volumes(m, x):
    return m.b(F.silu(m.a(x))).mean((2, 3, 4))


@module(
    (3, 16, 16),
    a=conv(3, 8, 3),
    b=conv(8, 8, 1),
    pad=part(nn.ZeroPad2d, 1),
    head=linear(8, 4),
)
def convolution_padded_apart(m, x):
    return m.head(m.b(m.pad(m.a(m.pad(x)))).square().mean((2, 3)))


@module(
    (3, 16, 16),
    a=conv(3, 8, 3),
    scale=filled(1.0, 1, 8, 1, 1),
    bias=filled(0.0, 1, 8, 1, 1),
    head=linear(8, 4),
)
def convolution_scaled_by_channel(m, x):
    return m.head(torch.sin(m.a(x) * m.scale + m.bias).mean((2, 3)))


@module(
    (3, 9, 9),
    a=conv(3, 8, 3, padding=1, padding_mode="circular"),
    b=conv(8, 8, (1, 3), padding="same", dilation=(1, 2)),
    head=linear(8, 4),
)
def convolution_circular(m, x):
    return m.head(m.b(torch.sin(m.a(x))).mean((2, 3)))


@module(
    (3, 9, 9),
    a=conv(3, 8, 3, padding=(2, 1), padding_mode="replicate"),
    head=linear(8, 4),
)
def convolution_replicated_then_maximum(m, x):
    return m.head(m.a(x).amax((2, 3)))


@module(
    (4, 9, 9),
    up=part(
        nn.ConvTranspose2d,
        4,
        6,
        3,
        stride=2,
        padding=1,
        groups=2,
        dilation=2,
        output_padding=1,
    ),
    head=linear(6, 4),
)
def convolution_transposed_grouped(m, x):
    return m.head(m.up(x).tanh().mean((2, 3)))


@module(
    (4, 20),
    up=part(nn.ConvTranspose1d, 4, 6, 4, stride=3),
    down=conv1(6, 4, 3, stride=2),
    head=linear(4, 4),
)
def convolution_transposed_of_rows(m, x):
    return m.head(F.mish(m.down(F.softplus(m.up(x)))).mean(-1))


@module((6, 5, 5), kernels=linear(6, 6 * 9), head=linear(6, 4))
def convolution_with_computed_kernels(m, x):
    kernels = m.kernels(x.mean((2, 3))).reshape(-1, 6, 9, 1)
    rows = F.unfold(x, 3, padding=1).reshape(x.shape[0], 6, 9, 25)
    return m.head(torch.tanh((rows * kernels).sum(2)).mean(-1))


@module(
    (3, 8, 8),
    weight=weights(6, 3, 3, 3),
    gain=filled(1.0, 6, 1, 1, 1),
    refused=FOLDED,
    head=linear(6, 4),
)
def convolution_standardised_weights(m, x):
    w = m.weight - m.weight.mean((1, 2, 3), keepdim=True)
    w = m.gain * w / (w.std((1, 2, 3), keepdim=True) + 1e-5)
    return m.head(torch.relu(F.conv2d(x, w)).mean((2, 3)))


@module((3, 8, 8), a=conv(3, 6, 3), b=conv(6, 6, 3, padding=1), head=linear(6, 4))
def convolution_repeated_in_place(m, x):
    y = m.a(x)
    for _ in range(3):
        change = torch.tanh(m.b(y))
        y = y.clone()
        y += 0.5 * change
    return m.head(y.mean((2, 3)))


@module((3, 8, 8), a=conv(3, 5, 3), b=conv(3, 5, 3, bias=False), head=linear(5, 4))
def convolution_two_on_one_input(m, x):
    y = torch.sigmoid(m.a(x)) * m.b(x)
    return m.head(y[:, :, 1:-1, ::2].flip(3).sum((2, 3)))
