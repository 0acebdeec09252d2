# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of whole transformer layers, and of what stands before and behind."""

from __future__ import annotations

import torch
from modules import EQUAL, filled, linear, module, part, weights
from torch import nn

attend = nn.functional.scaled_dot_product_attention


def encoder_layer(width, heads, **options):
    return part(
        nn.TransformerEncoderLayer,
        width,
        heads,
        2 * width,
        dropout=0.0,
        batch_first=True,
        **options,
    )


def _stack(kind, layer):
    return lambda: kind(layer(16, 2, 32, dropout=0.0, batch_first=True), 3)


@module(
    (3, 16, 16),
    patch=part(nn.Conv2d, 3, 16, 4, 4),
    cls=weights(1, 1, 16),
    table=weights(1, 17, 16),
    core=encoder_layer(16, 2, norm_first=True, activation="gelu"),
    head=linear(16, 4),
)
def vision_transformer(m, x):
    y = m.patch(x).flatten(2).transpose(1, 2)
    y = torch.cat([m.cls.expand(x.shape[0], -1, -1), y], 1) + m.table
    return m.head(m.core(y)[:, 0])


@module(
    (3, 16, 16),
    patch=part(nn.Conv2d, 3, 16, 2, 2),
    qkv=linear(16, 48),
    head=linear(16, 4),
)
def shifted_windows(m, x):
    y = torch.roll(m.patch(x).permute(0, 2, 3, 1), (-2, -2), (1, 2))
    b = y.shape[0]
    y = y.reshape(b, 2, 4, 2, 4, 16).permute(0, 1, 3, 2, 4, 5).reshape(b * 4, 16, 16)
    q, k, v = (each[:, None] for each in m.qkv(y).chunk(3, -1))
    y = attend(q, k, v)[:, 0].reshape(b, 2, 2, 4, 4, 16)
    y = y.permute(0, 1, 3, 2, 4, 5).reshape(b, 8, 8, 16)
    return m.head(torch.roll(y, (2, 2), (1, 2)).mean((1, 2)))


@module(
    (12, 16),
    core=part(nn.Transformer, 16, 2, 2, 2, 32, dropout=0.0, batch_first=True),
    head=linear(16, 4),
    refused=EQUAL,
)
def transformer_both_sides(m, x):
    return m.head(m.core(x[:, :7], x[:, 7:]).mean(1))


@module(
    (12, 16),
    core=_stack(nn.TransformerEncoder, nn.TransformerEncoderLayer),
    head=linear(16, 4),
)
def encoder_of_equal_layers(m, x):
    return m.head(m.core(x)[:, 0])


@module(
    (12, 16),
    core=_stack(nn.TransformerDecoder, nn.TransformerDecoderLayer),
    head=linear(16, 4),
    refused=EQUAL,
)
def decoder_of_equal_layers(m, x):
    return m.head(m.core(x[:, :5], x[:, 5:])[:, -1])


@module(
    (16,),
    weight=weights(16, 8, scale=1.0),
    bias=weights(16, 8, scale=1.0),
    core=encoder_layer(8, 2),
    head=linear(8, 4),
)
def attention_over_columns(m, x):
    return m.head(m.core(x[..., None] * m.weight + m.bias).mean(1))


@module(
    (12, 16),
    start=filled(0.0, 1, 1, 16),
    end=filled(0.0, 1, 1, 16),
    core=encoder_layer(16, 2),
    head=linear(16, 4),
    refused=EQUAL,
)
def attention_two_equal_tokens(m, x):
    tokens = [each.expand(x.shape[0], -1, -1) for each in (m.start, m.end)]
    y = m.core(torch.cat([tokens[0], x, tokens[1]], 1))
    return m.head(y[:, 0] - 2 * y[:, -1])
