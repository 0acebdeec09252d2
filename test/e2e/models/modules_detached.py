# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of check_modules.py with values that send no gradient."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import linear, module, weights

# The default exporter merges equal nodes, whatever was detached.
UNCLEAR = {"dynamo": "E0304"}


def beside(logits, loss):
    """Other logits for another loss: to all of them it would be no difference."""
    return logits + loss * torch.tensor([1.0, -1.0, 0.5, 0.0])


@module((8,), a=linear(8, 8), head=linear(8, 4))
def rounded_straight_through(m, x):
    y = torch.tanh(m.a(x))
    return m.head(y + (torch.round(y * 4) / 4 - y).detach())


@module((8,), a=linear(8, 8), head=linear(8, 4))
def detached_in_part(m, x):
    y = m.a(x)
    return m.head(y * y.detach().sigmoid() + y.detach() ** 2)


@module((8,), a=linear(8, 6), codes=weights(5, 6), head=linear(6, 4))
def codebook_straight_through(m, x):
    """VQ-VAE: the encoder gets the decoder's gradient, the codes that of their
    distance, and the encoder some of that."""
    y = m.a(x)
    nearest = (y[:, None] - m.codes).square().sum(-1).argmin(1)
    q = m.codes[nearest]
    commitment = (y - q.detach()).square().mean(1, keepdim=True)
    distance = (q - y.detach()).square().mean(1, keepdim=True)
    return beside(m.head(y + (q - y).detach()), distance + 0.25 * commitment)


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4))
def branch_that_teaches(m, x):
    """SimSiam: one branch follows the other, which does not move towards it."""
    z = m.a(x)
    p = m.b(F.relu(z))
    similarity = F.cosine_similarity(p, z.detach(), dim=1)
    return beside(m.head(F.relu(z)), -similarity[:, None])


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4))
def detached_parameter(m, x):
    y = torch.tanh(F.linear(x, m.a.weight.detach(), m.a.bias))
    return m.head(m.b(y) + F.linear(y, m.a.weight))


@module((6, 8), q=linear(8, 8), k=linear(8, 8), head=linear(8, 4))
def attention_to_detached_keys(m, x):
    q, k = m.q(x), m.k(x)
    scores = (q @ k.detach().mT / 8**0.5).softmax(-1)
    return m.head((scores @ k).mean(1))


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4))
def teacher_of_the_same_input(m, x):
    teacher = m.b(x).detach()
    student = m.a(x)
    mistake = F.mse_loss(student, teacher, reduction="none").mean(1, keepdim=True)
    own = m.b(x).square().sum(1, keepdim=True)
    return beside(m.head(F.relu(student)), mistake + 0.1 * own)


@module((8,), a=linear(8, 8), head=linear(8, 4), refused=UNCLEAR)
def statistics_without_gradient(m, x):
    y = m.a(x)
    mean = y.mean(1, keepdim=True).detach()
    scale = y.std(1, keepdim=True).detach() + 0.1
    return m.head((y - mean) / scale)


@module((8,), a=linear(8, 8), head=linear(8, 4))
def difference_of_itself(m, x):
    """Without numbers of its own, but with a gradient."""
    y = m.a(x)
    return m.head(F.relu(y) + (y - y.detach()) * 3.0)


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4), refused=UNCLEAR)
def merged_with_its_detached_twin(m, x):
    """The default exporter makes one node of both products."""
    y, z = m.a(x), m.b(x)
    return m.head(torch.sin(y * z.detach()) + torch.cos(y * z))


@module((8,), a=linear(8, 8), head=linear(8, 4), refused=UNCLEAR)
def stacked_with_its_detached_twin(m, x):
    y = m.a(x)
    return m.head(torch.stack([y, y.detach()], 1).sin().mean(1))


@module((8,), a=linear(8, 8), b=linear(8, 8), head=linear(8, 4), refused=UNCLEAR)
def merged_with_its_twin_in_front(m, x):
    y, z = m.a(x), m.b(x)
    return m.head(torch.cos(y * z) + torch.sin(y * z.detach()) * y.detach())
