# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of products: einsum, distances, interactions, and what reduces them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from modules import FOLDED, filled, linear, module, part, weights
from torch import nn


@module((12, 16), gate=linear(16, 12), value=linear(16, 16), head=linear(16, 4))
def slots_logsumexp(m, x):
    share = torch.softmax(m.gate(x), 1)
    return m.head(torch.einsum("bts,btd->bsd", share, m.value(x)).logsumexp(1))


@module((12, 16), a=linear(16, 16), classes=weights(4, 16, scale=1.0), refused=FOLDED)
def cosine_classifier(m, x):
    y = F.normalize(m.a(x).mean(1), dim=-1)
    return 10 * y @ F.normalize(m.classes, dim=-1).T


@module((12, 16), a=linear(16, 16), classes=weights(4, 16, scale=1.0))
def distances_to_prototypes(m, x):
    return -((m.a(x).std(1)[:, None] - m.classes) ** 2).sum(-1)


@module((12, 16), a=linear(16, 8), head=linear(12, 4))
def distances_between_rows(m, x):
    y = m.a(x)
    distances = (y[:, :, None] - y[:, None]).abs().sum(-1)
    return m.head(torch.exp(-distances).mean(1))


@module((12, 16), a=linear(16, 8), head=linear(66, 4))
def interactions_of_pairs(m, x):
    y = m.a(x)
    i, j = torch.triu_indices(12, 12, 1)
    return m.head((y @ y.transpose(1, 2))[:, i, j])


@module((16,), core=part(nn.Bilinear, 8, 8, 6), head=linear(6, 4), refused=FOLDED)
def bilinear(m, x):
    return m.head(torch.tanh(m.core(x[:, :8], x[:, 8:])))


@module((16,), a=linear(16, 8), head=linear(16, 4))
def sine_and_cosine(m, x):
    y = m.a(x)
    return m.head(torch.cat([y.sin(), y.cos()], -1))


@module(
    (16,), centres=lambda: nn.Parameter(torch.linspace(-2, 2, 6)), mix=weights(16, 6, 4)
)
def radial_basis(m, x):
    basis = torch.exp(-((x[..., None] - m.centres) ** 2))
    return torch.einsum("bik,iko->bo", basis, m.mix)


@module((16,), a=linear(16, 24), head=linear(8, 4))
def maxout(m, x):
    return m.head(m.a(x).reshape(-1, 8, 3).amax(-1))


@module((12, 16), a=linear(16, 16), head=linear(48, 4))
def mean_variance_norm(m, x):
    y = m.a(x)
    return m.head(torch.cat([y.mean(1), y.var(1), y.norm(dim=1)], -1))


@module(
    (16,),
    weight=weights(16, 8, scale=1.0),
    bias=weights(8, scale=0.0),
    head=linear(8, 4),
)
def product_of_parameters(m, x):
    return m.head(torch.tanh(x @ m.weight + m.bias) * 2 + 0)


@module(
    (5, 8), a=linear(8, 6), classes=weights(4, 6), head=linear(20, 4), refused="export"
)
def euclidean_distances(m, x):
    return m.head(
        torch.cdist(m.a(x), m.classes[None].expand(x.shape[0], -1, -1)).flatten(1)
    )


@module((2, 8), a=linear(8, 6), scale=filled(3.0), head=linear(2, 4))
def pairwise_and_cosine(m, x):
    a, b = m.a(x).unbind(1)
    both = [F.pairwise_distance(a, b), m.scale * F.cosine_similarity(a, b)]
    return m.head(torch.stack(both, -1))


@module(
    (3, 4, 5),
    core=weights(3, 4, 5, 6),
    other=weights(6, 6),
    head=linear(6, 4),
    refused=FOLDED,
)
def einsum_in_odd_forms(m, x):
    y = torch.einsum("bijk,ijkd->bd", x, m.core)
    diagonal = torch.einsum("ii->i", m.other)
    outer = torch.einsum("bi,bj->bij", y, y)
    return m.head(torch.einsum("...ij,ij->...i", outer, m.other).tanh() + y * diagonal)


@module((4, 4), core=weights(4, 4), head=linear(4, 4))
def matrices_multiplied_repeatedly(m, x):
    y = x / 4
    for _ in range(3):
        y = y @ m.core + torch.baddbmm(y, x, y, beta=0.5, alpha=0.25)
    return m.head(y.diagonal(dim1=1, dim2=2) + y.sum(-1))


@module((4, 4), a=linear(4, 4), head=linear(4, 4))
def matrix_inverted_by_newton(m, x):
    y = m.a(x) * 0.1 + torch.eye(4)
    inverse = y.transpose(1, 2) / (y.square().sum((1, 2), keepdim=True))
    for _ in range(4):
        inverse = 2 * inverse - inverse @ y @ inverse
    return m.head(inverse.sum(1))


@module((3, 6), a=linear(6, 6), b=linear(6, 6), head=linear(6, 4))
def cross_and_outer(m, x):
    a, b = m.a(x).transpose(1, 2), m.b(x).transpose(1, 2)
    c = torch.stack(
        [a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 0] * b[..., 1]], -1
    )
    return m.head((c.prod(-1) + torch.linalg.vecdot(a, b)).tanh())


@module((12,), kernel=linear(12, 30), head=linear(6, 4))
def weights_computed_of_inputs(m, x):
    kernel = m.kernel(x).reshape(-1, 6, 5)
    return m.head(torch.bmm(kernel, torch.tanh(x[:, :5, None])).squeeze(-1))


@module((12,), film=linear(4, 16), a=linear(8, 8), head=linear(8, 4))
def film(m, x):
    gain, shift = m.film(x[:, :4]).chunk(2, 1)
    return m.head(torch.addcmul(shift, gain + 1, m.a(x[:, 4:]), value=0.5).sin())


@module(
    (2, 3, 4, 5),
    a=weights(2, 1, 5, 2),
    b=weights(4, 1),
    c=weights(2, 1, 1, 1, 2),
    head=linear(2, 4),
)
def products_that_broadcast(m, x):
    y = torch.matmul(x, m.a)
    return m.head(((y + m.b).unsqueeze(1) * m.c).tanh().sum((1, 2, 3, 4)))


@module((5, 8), v=weights(8), u=weights(5), head=linear(1, 4))
def products_with_vectors(m, x):
    y = x @ m.v
    return m.head((m.u @ torch.sin(x) @ m.v + y @ m.u).unsqueeze(-1))


@module((4, 8), real=linear(8, 4), imaginary=linear(8, 4), head=linear(4, 4))
def complex_product(m, x):
    a, b = m.real(x), m.imaginary(x)
    real = a * a.roll(1, 1) - b * b.roll(1, 1)
    imaginary = a * b.roll(1, 1) + b * a.roll(1, 1)
    size = torch.sqrt(real.square() + imaginary.square() + 1e-6)
    return m.head(size.mean(1) + torch.atan(real / size).mean(1))


@module((6, 8), a=linear(8, 8), head=linear(24, 4))
def softmax_along_three_axes(m, x):
    y = m.a(x)
    rows = [
        y.softmax(1).square().sum(1),
        y.log_softmax(2).mean(1),
        F.softmin(y, 1).prod(1),
    ]
    return m.head(torch.cat(rows, -1))


@module((6, 8), a=linear(8, 8), head=linear(40, 4))
def reductions_of_many_kinds(m, x):
    y = m.a(x)
    rows = [
        y.norm(1, dim=1),
        y.norm(float("inf"), dim=1),
        y.std(1, correction=0),
        y.prod(1),
        y.abs().pow(1.5).sum(1).pow(1 / 1.5),
    ]
    return m.head(torch.cat(rows, -1))


@module((6, 8), refused=FOLDED, a=weights(8, 8), head=linear(8, 4))
def symmetric_weight(m, x):
    return m.head(torch.tanh(x @ (m.a + m.a.T) / 2).mean(1))


@module((8,), a=linear(8, 6), head=linear(6, 4))
def outer_product_sliced(m, x):
    y = m.a(x)
    return m.head((y[:, :2, None] * y[:, None]).flatten(1)[:, 3:9])
