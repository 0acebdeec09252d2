# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules that choose, mask, sort, and read and write at computed places."""

from __future__ import annotations

import torch
from modules import FOLDED, filled, integers, linear, module, normal, part, weights
from torch import nn


@module((16,), a=linear(16, 16), head=linear(16, 4))
def sorted_and_clamped(m, x):
    return m.head(torch.sort(m.a(x), -1)[0].clamp(-1.0, 1.5))


@module((12, 16), a=linear(16, 16), head=linear(16, 4))
def where_filled_selected(m, x):
    y = m.a(x)
    y = torch.where(x > 0, y, -0.3 * y).masked_fill(x > 2, 0.0)
    return m.head(y.index_select(1, torch.tensor([0, 3, 3, 7])).flatten(1)[:, :16])


@module((12, 16), a=linear(16, 16), head=linear(16, 4))
def mean_of_masked(m, x):
    mask = (x[..., :1] > 0).float()
    return m.head((m.a(x) * mask).sum(1) / mask.sum(1).clamp(min=1))


@module((9, 8), a=linear(8, 8), head=linear(24, 4))
def cumulative_sums_both_ways(m, x):
    y = m.a(x)
    rows = [torch.cumsum(y, 1), torch.cumsum(y.flip(1), 1), y.cumsum(2)]
    return m.head(torch.cat([each.mean(1) for each in rows], -1))


@module((9, 8), a=linear(8, 8), head=linear(8, 4), refused="export")
def cumulative_maximum(m, x):
    return m.head(torch.cummax(m.a(x), 1)[0].mean(1))


@module((9, 8), a=linear(8, 8), head=linear(8, 4))
def topk_then_gather(m, x):
    y = m.a(x)
    chosen = y.norm(dim=-1).topk(4, 1)[1]
    y = y.gather(1, chosen[..., None].expand(-1, -1, 8))
    return m.head((y * torch.arange(4.0)[:, None]).sum(1))


@module((9, 8), a=linear(8, 8), head=linear(8, 4))
def argsort_then_gather(m, x):
    y = m.a(x)
    order = y[..., 0].argsort(1, descending=True)
    y = y.gather(1, order[..., None].expand(-1, -1, 8))
    return m.head((y[:, :5] - y[:, 4:]).tanh().mean(1))


@module((9, 8), a=linear(8, 8), head=linear(8, 4))
def smallest_and_median(m, x):
    y = m.a(x)
    smallest, _ = y.topk(3, 1, largest=False)
    return m.head(smallest.sum(1) + y.sort(1)[0][:, 4])


@module({"x": normal(9, 8), "at": integers(5, 9)}, a=linear(8, 8), head=linear(8, 4))
def scatter_add_of_rows(m, x, at):
    sums = x.new_zeros(x.shape[0], 5, 8)
    sums = sums.scatter_add(1, at[..., None].expand(-1, -1, 8), m.a(x))
    return m.head(torch.tanh(sums).amax(1))


@module({"x": normal(9, 8), "at": integers(5, 9)}, a=linear(8, 8), head=linear(8, 4))
def scatter_maximum_of_rows(m, x, at):
    where = at[..., None].expand(-1, -1, 8)
    zeros = x.new_zeros(x.shape[0], 5, 8)
    y = zeros.scatter_reduce(1, where, m.a(x), "amax", include_self=True)
    return m.head(torch.tanh(y).sum(1))


@module(
    {"x": normal(9, 8), "at": integers(5, 9)},
    a=linear(8, 8),
    head=linear(8, 4),
    refused="E0301",
)
def scatter_mean_of_rows(m, x, at):
    where = at[..., None].expand(-1, -1, 8)
    zeros = x.new_zeros(x.shape[0], 5, 8)
    y = zeros.scatter_reduce(1, where, m.a(x), "mean", include_self=False)
    return m.head(torch.tanh(y).sum(1))


@module({"x": normal(9, 8), "at": integers(5, 9)}, a=linear(8, 8), head=linear(8, 4))
def scatter_mean_as_a_quotient(m, x, at):
    # What the error of scatter_mean_of_rows says.
    def add(start, source):
        where = at[..., None].expand(-1, -1, 8)
        return start.scatter_reduce(1, where, source, "sum", include_self=False)

    start = x.new_full((x.shape[0], 5, 8), 0.5)
    y = add(start, m.a(x)) / add(torch.ones_like(start), torch.ones_like(x))
    return m.head(torch.tanh(y).sum(1))


@module((9, 8), a=linear(8, 8), row=weights(8), head=linear(8, 4), refused=FOLDED)
def written_in_place(m, x):
    y = m.a(x)
    y[:, 2] = m.row
    y[:, 4:6] += 2 * y[:, 6:8]
    y[:, :, 3] = 0.5
    return m.head(torch.sin(y).mean(1))


@module((9, 8), a=linear(8, 8), rows=weights(3, 8), head=linear(8, 4), refused=FOLDED)
def index_put_of_constants(m, x):
    y = torch.tanh(m.a(x))
    y = y.index_put(
        (torch.arange(x.shape[0])[:, None], torch.tensor([1, 4, 4])),
        m.rows,
        accumulate=True,
    )
    return m.head((y * y).mean(1))


@module((9, 8), a=linear(8, 8), rows=weights(3, 8), head=linear(8, 4))
def index_add_and_copy(m, x):
    y = m.a(x).index_add(
        1, torch.tensor([0, 2, 2]), m.rows.expand(x.shape[0], -1, -1), alpha=2
    )
    y = y.index_fill(1, torch.tensor([5]), 0.3)
    return m.head(torch.sin(y).mean(1))


@module(
    {"x": normal(8), "at": integers(6)},
    table=weights(6, 8),
    head=linear(8, 4),
    refused=FOLDED,
)
def rows_of_a_table(m, x, at):
    return m.head(torch.tanh(x + m.table[at] * m.table.mean(0)))


@module({"x": normal(8), "at": integers(6)}, a=linear(8, 6), head=linear(8, 4))
def one_element_each(m, x, at):
    chosen = m.a(x).gather(1, at[:, None])
    other = m.a(x)[torch.arange(x.shape[0]), at]
    return m.head(x * chosen + x.sin() * other[:, None])


@module(
    {"bag": integers(11, 6)},
    table=part(nn.EmbeddingBag, 11, 8, mode="mean"),
    mixes=True,
    head=linear(8, 4),
)
def embedding_bag(m, bag):
    return m.head(torch.tanh(m.table(bag)))


@module(
    {"bag": integers(11, 6)},
    table=part(nn.EmbeddingBag, 11, 8, mode="sum", scale_grad_by_freq=True),
    mixes=True,
    head=linear(8, 4),
    refused="E0301",
)
def embedding_bag_by_frequency(m, bag):
    return m.head(torch.tanh(m.table(bag)))


@module(
    {"bag": integers(11, 6), "shares": normal(6)},
    table=part(nn.EmbeddingBag, 11, 8, mode="sum", padding_idx=3),
    head=linear(8, 4),
    refused="E0302",
)
def embedding_bag_weighted(m, bag, shares):
    return m.head(torch.tanh(m.table(bag, per_sample_weights=shares)))


@module({"bag": integers(11, 6)}, table=part(nn.Embedding, 11, 8), head=linear(8, 4))
def embedding_bag_padded_by_hand(m, bag):
    # What the error of embedding_bag_weighted says.
    return m.head(torch.tanh((m.table(bag) * (bag != 3)[..., None]).sum(1)))


@module(
    (8,),
    a=linear(8, 8),
    low=filled(-0.2, 8),
    high=filled(0.3, 1),
    head=linear(8, 4),
    refused=FOLDED,
)
def clamped_by_parameters(m, x):
    return m.head(torch.clamp(m.a(x), m.low, m.high))


@module((8,), a=linear(8, 8), b=linear(8, 8), other=filled(0.1), head=linear(8, 4))
def extremes_of_two(m, x):
    a, b = m.a(x), m.b(x)
    return m.head(torch.maximum(a, b) * torch.minimum(a, m.other))


@module((8, 6), a=linear(6, 6), head=linear(6, 4))
def ties_of_maxima(m, x):
    y = torch.relu(m.a(x))  # zeros are equal, and share the gradient
    return m.head(y.amin(1) + y.amax(1) + torch.round(y).detach().amax(1))


@module((8, 6), a=linear(6, 6), head=linear(6, 4))
def ties_of_first_maxima(m, x):
    y = torch.relu(m.a(x))
    return m.head(y.max(1)[0] + y.min(1)[0])


@module((8,), a=linear(8, 8), threshold=filled(0.1), head=linear(8, 4))
def where_with_scalars(m, x):
    y = m.a(x)
    y = torch.where(y > m.threshold, 1.5, y) + torch.where(x > 0, m.threshold, 0.0)
    return m.head(torch.where(y.isnan(), 0.0, y))


@module((8,), a=linear(8, 6), codes=weights(5, 6), head=linear(6, 4))
def quantised_by_codes(m, x):
    y = m.a(x)
    nearest = (y[:, None] - m.codes).square().sum(-1).argmin(1)
    return m.head(y + 0.5 * m.codes[nearest])


@module((8,), a=linear(8, 8), head=linear(8, 4))
def one_hot_of_computed(m, x):
    y = m.a(x)
    chosen = torch.nn.functional.one_hot(y.argmax(1), 8).float()
    return m.head(y.softmax(1) * (chosen + 0.5))


@module((9, 8), a=linear(8, 8), head=linear(8, 4))
def slices_of_many_kinds(m, x):
    y = m.a(x)
    y = y[:, ::2].flip(1) + y[:, -5:] - y.narrow(1, 1, 5) + y.unfold(1, 5, 2)[:, 1].mT
    return m.head(torch.stack(y.split([2, 3], 1)[1].unbind(1), 0).mean(0))


@module((9, 8), a=linear(8, 8), head=linear(16, 4))
def tiled_and_interleaved(m, x):
    y = m.a(x)
    y = torch.cat([y.repeat(1, 2, 1), y.repeat_interleave(2, 1)], -1)
    return m.head((y * torch.linspace(-1, 1, 18)[:, None]).mean(1).tanh())


@module((6, 6), a=linear(6, 6), head=linear(6, 4))
def triangles(m, x):
    y = m.a(x)
    y = y.tril(-1) + 2 * y.triu(1) + torch.diag_embed(y[:, 0])
    return m.head(torch.sin(y).mean(1))


@module(
    (6, 8),
    refused={"dynamo": "E0405"},
    a=linear(8, 8),
    low=filled(-0.1),
    high=filled(0.3),
    head=linear(8, 4),
)
def bounds_that_are_scalars(m, x):
    return m.head(torch.minimum(torch.maximum(m.a(x), m.low), m.high).mean(1))


@module(
    (6, 8),
    refused={"dynamo": "E0405"},
    a=linear(8, 8),
    low=filled(0.1),
    other=filled(0.05),
    head=linear(8, 4),
)
def bounds_of_bounds(m, x):
    return m.head(torch.maximum(torch.maximum(m.a(x), m.low), m.other).mean(1))


@module(
    (6, 16), q=linear(16, 16), k=linear(16, 16), far=weights(7, 8), head=linear(16, 4)
)
def gathered_at_relative_positions(m, x):
    # DeBERTa's: scores of all distances, of which each pair of positions has one,
    # for all samples and heads alike.
    q, k = (each(x).view(-1, 6, 2, 8).transpose(1, 2).flatten(0, 1) for each in (m.q, m.k))
    distance = torch.arange(6)[:, None] - torch.arange(6)[None, :]
    at = (distance.clamp(-3, 3) + 3).expand(q.shape[0], -1, -1)
    scores = q @ k.transpose(1, 2) + torch.gather(q @ m.far.t(), 2, at)
    y = (scores.softmax(-1) @ k).view(-1, 2, 6, 8).transpose(1, 2).flatten(2)
    return m.head(y).mean(1)


@module((3, 4, 6, 5), a=linear(5, 5), head=linear(5, 4))
def gathered_at_known_places_of_two_dimensions(m, x):
    y = torch.tanh(m.a(x))
    at = (torch.arange(3)[:, None, None] + torch.arange(6)[:, None]) % 4
    at = at.unsqueeze(1).expand(x.shape[0], 3, 2, 6, 5)
    return m.head(y.gather(2, at).square().mean((1, 2, 3)))


@module({"x": normal(6, 8)}, t=weights(5, 8), head=linear(8, 4))
def table_at_places_that_wrap(m, x):
    # From -3 to 2: behind the last row comes the first one.
    return m.head(torch.sin(m.t[x[..., :6].argmax(-1) - 3]).sum(1))


@module({"x": normal(6, 8)}, t=weights(9, 8), head=linear(8, 4))
def table_at_rounded_places(m, x):
    at = (x[..., 0].clamp(-2, 2) * 2).floor().long()
    return m.head(torch.sin(m.t[at]).sum(1))
