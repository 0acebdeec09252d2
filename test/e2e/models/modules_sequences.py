# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of sequences: recurrent nets, scans, mixers and experts."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from modules import EQUAL, FOLDED, filled, integers, linear, module, part, weights
from torch import nn

lstm = functools.partial(part, nn.LSTM, batch_first=True)
gru = functools.partial(part, nn.GRU, batch_first=True)


@module((12, 16), core=lstm(16, 8, bidirectional=True), head=linear(16, 4))
def lstm_mean(m, x):
    return m.head(m.core(x)[0].mean(1))


@module((12, 16), core=lstm(16, 4))
def lstm_summed(m, x):
    return m.core(x)[0].sum(1)


@module((12, 16), core=gru(16, 8, 2), head=linear(8, 4))
def gru_last_state(m, x):
    return m.head(m.core(x)[1][-1])


@module((12, 16), a=lstm(16, 8, 2, bidirectional=True), b=gru(16, 8), head=linear(8, 4))
def lstm_then_gru(m, x):
    return m.head(m.b(m.a(x)[0])[0].amax(1))


@module(
    (12, 16),
    core=part(nn.RNN, 16, 8, 2, batch_first=True, bidirectional=True),
    head=linear(16, 4),
)
def rnn_one_position(m, x):
    return m.head(m.core(x)[0][:, 3])


@module(
    (12, 16),
    tokens=linear(12, 12),
    channels=linear(16, 16),
    norm=part(nn.LayerNorm, 16),
    head=linear(16, 4),
)
def mixer_sharing_a_norm(m, x):
    x = x + m.tokens(m.norm(x).transpose(1, 2)).transpose(1, 2)
    return m.head((x + m.channels(F.gelu(m.norm(x)))).mean(1))


@module((12, 16), gate=linear(16, 4), experts=weights(4, 16, 16), head=linear(16, 4))
def experts_all_then_two(m, x):
    share, chosen = m.gate(x).softmax(-1).topk(2, -1)
    y = torch.einsum("btd,edf->btef", x, m.experts)
    y = torch.gather(y, 2, chosen[..., None].expand(-1, -1, -1, 16))
    return m.head((share[..., None] * y).sum(2).mean(1))


@module((12, 16), gate=linear(16, 4), experts=weights(4, 16, 16), head=linear(16, 4))
def experts_gathered(m, x):
    share, chosen = m.gate(x).softmax(-1).max(-1)
    y = torch.einsum("btd,btdf->btf", x, m.experts[chosen])
    return m.head((share[..., None] * y).mean(1))


@module(
    (7, 16),
    core=part(nn.LSTM, 16, 8, 2, batch_first=True, proj_size=4),
    head=linear(4, 4),
    refused="E0401",
)
def lstm_projected(m, x):
    return m.head(m.core(x)[0].sum(1))


@module(
    (7, 16),
    core=lstm(16, 8),
    h=weights(1, 1, 8),
    c=weights(1, 1, 8),
    head=linear(16, 4),
    refused=FOLDED,
)
def lstm_learned_state(m, x):
    batch = x.shape[0]
    y, (h, c) = m.core(x, (m.h.repeat(1, batch, 1), m.c.repeat(1, batch, 1)))
    return m.head(torch.cat([h[0], c[0]], -1) + y.mean(1).repeat(1, 2))


@module(
    (7, 16),
    core=part(nn.GRU, 16, 8, bidirectional=True, bias=False),
    head=linear(16, 4),
)
def gru_batch_second(m, x):
    y, h = m.core(x.transpose(0, 1))
    return m.head(y[-1] + torch.cat([h[0], h[1]], -1))


@module((5, 16), cell=part(nn.LSTMCell, 16, 8), start=linear(16, 8), head=linear(8, 4))
def lstm_cell_in_a_loop(m, x):
    h = c = torch.tanh(m.start(x[:, 0]))
    for t in range(5):
        h, c = m.cell(x[:, t], (h, c))
    return m.head(h + c)


@module((5, 16), cell=part(nn.GRUCell, 16, 8), head=linear(8, 4))
def gru_cell_backwards(m, x):
    h = x.new_zeros(x.shape[0], 8)
    states = []
    for row in reversed(x.unbind(1)):
        h = m.cell(row, h)
        states.append(h)
    return m.head(torch.stack(states, 1).logsumexp(1))


@module(
    (9, 8),
    dt=linear(8, 8),
    b=linear(8, 4),
    c=linear(8, 4),
    a=weights(8, 4),
    skip=filled(1.0, 8),
    refused=FOLDED,
    head=linear(8, 4),
)
def state_space_loop(m, x):
    dt = F.softplus(m.dt(x))
    decay = torch.exp(-dt[..., None] * torch.exp(m.a))
    update = (dt * x)[..., None] * m.b(x)[:, :, None]
    state = torch.zeros_like(update[:, 0])
    rows = []
    for t in range(9):
        state = decay[:, t] * state + update[:, t]
        rows.append((state * m.c(x)[:, t, None]).sum(-1))
    return m.head((torch.stack(rows, 1) + m.skip * x).mean(1))


@module((9, 8), gate=linear(8, 8), value=linear(8, 8), head=linear(8, 4))
def state_space_cumulative(m, x):
    logs = torch.cumsum(F.logsigmoid(m.gate(x)), 1)
    y = torch.cumsum(m.value(x) * torch.exp(-logs), 1) * torch.exp(logs)
    return m.head(y.mean(1))


@module((9, 8), gate=linear(8, 8), head=linear(8, 4))
def state_space_as_a_matrix(m, x):
    logs = F.logsigmoid(m.gate(x)).transpose(1, 2).cumsum(-1)
    shares = logs[..., :, None] - logs[..., None, :]
    mask = torch.ones(9, 9, dtype=torch.bool).tril()
    shares = shares.masked_fill(~mask, float("-inf")).exp()
    return m.head(torch.einsum("bdts,bsd->btd", shares, x).square().mean(1))


@module(
    (6, 16),
    gate=linear(16, 3),
    a=linear(16, 16),
    b=linear(16, 16),
    c=linear(16, 16),
    head=linear(16, 4),
)
def experts_as_layers(m, x):
    share, chosen = torch.topk(m.gate(x), 2, -1)
    share = share.softmax(-1)
    y = torch.zeros_like(x)
    for i, expert in enumerate((m.a, m.b, m.c)):
        mine = (share * (chosen == i)).sum(-1, keepdim=True)
        y = y + mine * F.silu(expert(x))
    return m.head(y.mean(1))


@module(
    (6, 16),
    gate=linear(16, 3),
    up=weights(3, 16, 8),
    down=weights(3, 8, 16),
    bias=weights(3, 8),
    head=linear(16, 4),
)
def experts_batched(m, x):
    share = torch.zeros_like(m.gate(x)).scatter(-1, *_largest(m.gate(x).sigmoid()))
    y = torch.relu(torch.einsum("btd,edf->ebtf", x, m.up) + m.bias[:, None, None])
    y = torch.matmul(y, m.down[:, None])
    return m.head(torch.einsum("ebtd,bte->btd", y, share).mean(1))


def _largest(scores):
    share, chosen = scores.topk(2, -1)
    return chosen, share / share.sum(-1, keepdim=True)


@module(
    (9, 8),
    shift=linear(8, 8),
    ratio=filled(0.5, 1, 1, 8),
    head=linear(8, 4),
    refused=EQUAL,
)
def token_shift(m, x):
    before = F.pad(x, (0, 0, 1, -1))
    y = x * m.ratio + before * (1 - m.ratio)
    return m.head(torch.relu(m.shift(y)).square().mean(1))


@module(
    {"ids": integers(13, 9)},
    table=part(nn.Embedding, 13, 8, padding_idx=2),
    core=gru(8, 8),
    head=linear(8, 4),
)
def tokens_with_a_padding_row(m, ids):
    mask = (ids != 2)[..., None]
    y = m.core(m.table(ids))[0]
    return m.head((y * mask).sum(1) / mask.sum(1).clamp(min=1))


@module(
    {"ids": integers(13, 9)},
    table=part(nn.Embedding, 13, 8, max_norm=None, scale_grad_by_freq=False),
    head=linear(8, 13),
    last=linear(13, 4),
)
def tokens_tied_to_logits(m, ids):
    y = torch.tanh(m.table(ids)).mean(1)
    return m.last(F.linear(y, m.table.weight) + m.head(y))


@module(
    {"ids": integers(13, 9), "offsets": integers(5, 9)},
    a=part(nn.Embedding, 13, 8),
    b=part(nn.Embedding, 5, 8),
    head=linear(8, 4),
)
def tokens_of_two_kinds(m, ids, offsets):
    return m.head(torch.relu(m.a(ids) * 1.5 - m.b(offsets)).amax(1))
