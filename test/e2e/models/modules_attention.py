# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules that attend: in fused and written forms, with odd queries and masks."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import EQUAL, FOLDED, filled, linear, module, part, weights
from torch import nn

attend = F.scaled_dot_product_attention


def heads(x, count):
    """[b, t, c] as [b, count, t, c / count]."""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)


def attention(width, heads):
    return part(nn.MultiheadAttention, width, heads, batch_first=True)


@module((10, 32), qkv=linear(32, 96), head=linear(32, 4))
def attention_maximum_over_positions(m, x):
    q, k, v = m.qkv(x).reshape(-1, 10, 3, 2, 16).permute(2, 0, 3, 1, 4)
    return m.head(attend(q, k, v).amax(2).flatten(1))


@module((10, 32), query=weights(1, 1, 32), core=attention(32, 4), head=linear(32, 4))
def attention_learned_query(m, x):
    query = m.query.expand(x.shape[0], -1, -1)
    return m.head(m.core(query, x, x, need_weights=False)[0][:, 0])


@module((10, 32), query=weights(1, 2, 1, 16), kv=linear(32, 64), head=linear(32, 4))
def attention_same_query_for_all_positions(m, x):
    k, v = m.kv(x).reshape(-1, 10, 2, 2, 16).permute(2, 0, 3, 1, 4)
    y = attend(m.query.expand(x.shape[0], 2, 5, 16), k, v)
    return m.head((y * torch.arange(1.0, 6.0)[:, None]).sum(2).flatten(1))


@module((10, 32), q=linear(32, 32), kv=linear(32, 16), head=linear(32, 4))
def attention_one_key_head(m, x):
    k, v = heads(m.kv(x), 2).chunk(2, 1)
    y = attend(
        heads(m.q(x), 2), k.repeat(1, 2, 1, 2), v.expand(-1, 2, -1, -1), is_causal=True
    )
    return m.head(joined(torch.cat([y, y], -1)).mean(1))


@module((10, 32), qkv=linear(32, 12), head=linear(4, 4))
def attention_heads_of_one(m, x):
    q, k, v = m.qkv(x).reshape(-1, 10, 3, 4, 1).permute(2, 0, 3, 1, 4)
    return m.head(attend(q, k, v).sum((2, 3)))


def _angles():
    return torch.arange(12.0)[:, None] * torch.exp(-torch.arange(8.0) / 4)


def _rotate_halves(x):
    a, b = x.chunk(2, -1)
    p = _angles()
    return torch.cat([a * p.cos() - b * p.sin(), a * p.sin() + b * p.cos()], -1)


def _rotate_pairs(x):
    a, b = x[..., ::2], x[..., 1::2]
    p = _angles()
    rows = [a * p.cos() - b * p.sin(), a * p.sin() + b * p.cos()]
    return torch.stack(rows, -1).flatten(-2)


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def rotary_halves(m, x):
    q, k, v = (each[:, None] for each in m.qkv(x).chunk(3, -1))
    y = attend(_rotate_halves(q), _rotate_halves(k), v, is_causal=True)
    return m.head(y[:, 0].mean(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def rotary_pairs(m, x):
    q, k, v = m.qkv(x).chunk(3, -1)
    scores = _rotate_pairs(q) @ _rotate_pairs(k).transpose(1, 2) / 4
    return m.head((scores.softmax(-1) @ v).mean(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def alibi(m, x):
    q, k, v = (heads(each, 4) for each in m.qkv(x).chunk(3, -1))
    at = torch.arange(12.0)
    slopes = torch.tensor([0.5, 0.25, 0.125, 0.06])[:, None, None]
    bias = (-(at[:, None] - at).abs() * slopes).expand(x.shape[0], -1, -1, -1)
    return m.head(joined(attend(q, k, v, attn_mask=bias)).mean(1))


@module(
    (12, 16),
    qkv=linear(16, 48),
    table=part(nn.Embedding, 23, 4),
    head=linear(16, 4),
    refused=FOLDED,
)
def relative_bias(m, x):
    q, k, v = (heads(each, 4) for each in m.qkv(x).chunk(3, -1))
    at = torch.arange(12)
    bias = m.table(at[:, None] - at + 11).permute(2, 0, 1)[None]
    return m.head(attend(q, k, v, attn_mask=bias).mean(2).flatten(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def linear_attention(m, x):
    q, k, v = m.qkv(x).chunk(3, -1)
    q, k = F.elu(q) + 1, F.elu(k) + 1
    y = q @ (k.transpose(1, 2) @ v) / (q @ k.sum(1)[..., None])
    return m.head(y.mean(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def cumulative_attention(m, x):
    q, k, v = m.qkv(x).chunk(3, -1)
    k = k.exp()
    y = torch.sigmoid(q) * torch.cumsum(k * v, 1) / torch.cumsum(k, 1)
    return m.head(y.mean(1))


@module((12, 16), a=attention(16, 2), b=attention(16, 2), head=linear(16, 4))
def attention_two_on_one_input(m, x):
    a = m.a(x, x, x, need_weights=False)[0]
    return m.head((a + 2 * m.b(x, x, x, need_weights=False)[0]).mean(1))


@module(
    (12, 16), a=attention(16, 2), b=attention(16, 2), head=linear(16, 4), refused=EQUAL
)
def attention_two_across(m, x):
    y = x[:, :4]
    a = m.a(x, y, y, need_weights=False)[0]
    return m.head((a + 2 * m.b(x, y, y, need_weights=False)[0]).mean(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def attention_in_a_window(m, x):
    q, k, v = (heads(each, 2) for each in m.qkv(x).chunk(3, -1))
    at = torch.arange(12)
    distance = at[:, None] - at
    mask = (distance >= 0) & (distance < 4)
    return m.head(attend(q, k, v, attn_mask=mask).mean(2).flatten(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def attention_masked_by_data(m, x):
    q, k, v = (heads(each, 2) for each in m.qkv(x).chunk(3, -1))
    mask = (x[..., 0] > -0.5)[:, None, None]
    scores = (q @ k.transpose(2, 3) * 0.3).masked_fill(~mask, float("-inf"))
    return m.head((scores.softmax(-1) @ v).mean(2).flatten(1))


@module((12, 16), q=linear(16, 32), kv=linear(16, 16), head=linear(32, 4))
def attention_grouped_heads(m, x):
    k, v = heads(m.kv(x), 4).chunk(2, 1)
    y = attend(heads(m.q(x), 8), k.repeat_interleave(4, 1), v.repeat_interleave(4, 1))
    return m.head(y.mean(2).flatten(1))


@module(
    (12, 16),
    q=linear(16, 16),
    k=linear(16, 16),
    q2=linear(16, 16),
    out=linear(16, 16),
    head=linear(16, 4),
)
def attention_sharing_keys_of_two_layers(m, x):
    k = heads(m.k(x), 2)
    y = x + m.out(joined(attend(heads(m.q(x), 2), k, k)))
    y = y + m.out(joined(attend(heads(m.q2(y), 2), k, k)))
    return m.head(y.mean(1))


@module((12, 16), qkv=linear(16, 48), sink=weights(2), head=linear(16, 4))
def attention_with_a_sink(m, x):
    q, k, v = (heads(each, 2) for each in m.qkv(x).chunk(3, -1))
    scores = q @ k.transpose(2, 3)
    sink = m.sink[None, :, None, None].expand(x.shape[0], 2, 12, 1)
    share = torch.cat([scores, sink], -1).softmax(-1)[..., :-1]
    return m.head((share @ v).mean(2).flatten(1))


@module(
    (12, 16),
    qkv=linear(16, 48),
    scale=filled(0.5, 2, 1, 1),
    head=linear(16, 4),
    refused=FOLDED,
)
def attention_of_cosines(m, x):
    q, k, v = (heads(each, 2) for each in m.qkv(x).chunk(3, -1))
    scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(2, 3)
    scores = scores * m.scale.clamp(max=4.6).exp()
    return m.head((scores.softmax(-1) @ v).mean(2).flatten(1))


@module((12, 16), qkv=linear(16, 48), mix=weights(4, 4), head=linear(16, 4))
def attention_talking_heads(m, x):
    q, k, v = (heads(each, 4) for each in m.qkv(x).chunk(3, -1))
    scores = torch.einsum("bhqk,hg->bgqk", q @ k.transpose(2, 3), m.mix)
    return m.head((scores.softmax(-1) @ v).mean(2).flatten(1))


@module((12, 16), qkv=linear(16, 48), share=filled(0.3), head=linear(16, 4))
def attention_of_differences(m, x):
    q, k, v = (heads(each, 4) for each in m.qkv(x).chunk(3, -1))
    share = (q @ k.transpose(2, 3) / 2).softmax(-1)
    y = (share[:, :2] - m.share * share[:, 2:]) @ torch.cat(v.chunk(2, 1), -1)
    return m.head(y.mean(2).flatten(1))


@module((12, 16), qkv=linear(16, 48), head=linear(16, 4))
def attention_capped_scores(m, x):
    q, k, v = (heads(each, 2) for each in m.qkv(x).chunk(3, -1))
    scores = 5 * torch.tanh(q @ k.transpose(2, 3) / 5)
    mask = torch.ones(12, 12, dtype=torch.bool).tril()
    scores = torch.where(mask, scores, -1e9)
    return m.head((scores.softmax(-1) @ v).mean(2).flatten(1))


@module((8, 5, 16), qkv=linear(16, 48), head=linear(16, 4))
def attention_along_two_axes(m, x):
    def along(x):
        q, k, v = m.qkv(x).chunk(3, -1)
        return x + attend(q, k, v)

    y = along(along(x).transpose(1, 2)).transpose(1, 2)
    return m.head(y.mean((1, 2)))


@module(
    (12, 16),
    core=part(nn.MultiheadAttention, 16, 2, add_bias_kv=True, kdim=8, vdim=6),
    head=linear(16, 4),
    refused=FOLDED,
)
def attention_batch_second(m, x):
    x = x.transpose(0, 1)
    y, share = m.core(x, x[:, :, :8], x[:, :, 2:8])
    return m.head(y.mean(0) + share.square().sum((1, 2))[:, None])
