# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules that compute their own loss, and those of functions of one number."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from modules import FOLDED, filled, integers, linear, module, normal

of_two_layers = functools.partial(
    module, has_loss=True, a=linear(8, 8), head=linear(8, 4)
)


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_its_own(m, x, labels):
    return F.cross_entropy(m.head(torch.tanh(m.a(x))), labels)


@of_two_layers({"x": normal(8), "target": normal(4)})
def loss_of_numbers(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    return (
        F.mse_loss(y, target)
        + 0.3 * F.smooth_l1_loss(y, target, beta=0.5)
        + 0.2 * F.l1_loss(y, target)
    )


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_focal(m, x, labels):
    logs = m.head(torch.tanh(m.a(x))).log_softmax(-1)
    mine = logs.gather(1, labels[:, None])[:, 0]
    return -((1 - mine.exp()) ** 2 * mine).mean()


@of_two_layers({"x": normal(8), "labels": integers(2, 4)})
def loss_of_yes_and_no(m, x, labels):
    y = m.head(torch.tanh(m.a(x)))
    return F.binary_cross_entropy_with_logits(y, labels.float())


@module(
    {"x": normal(8), "target": normal(4)},
    has_loss=True,
    a=linear(8, 8),
    mean=linear(8, 4),
    log=linear(8, 4),
)
def loss_of_a_gaussian(m, x, target):
    y = torch.tanh(m.a(x))
    mean, log = m.mean(y), m.log(y)
    kl = -0.5 * (1 + log - mean.square() - log.exp()).sum(1).mean()
    error = ((target - mean).square() * torch.exp(-log) + log).mean()
    return error + 0.1 * kl


@module(
    {"x": normal(2, 8)},
    has_loss=True,
    mixes=True,
    a=linear(8, 6),
    scale=filled(1.0),
    refused=FOLDED,
)
def loss_of_pairs(m, x):
    a, b = F.normalize(m.a(x), dim=-1).unbind(1)
    scores = a @ b.T * m.scale.exp()
    return F.cross_entropy(scores, torch.arange(x.shape[0]))


@module({"x": normal(3, 8)}, has_loss=True, a=linear(8, 6))
def loss_of_triplets(m, x):
    a, b, c = m.a(x).unbind(1)
    return (
        F.triplet_margin_loss(a, b, c, margin=2.0)
        + F.cosine_embedding_loss(a, c, torch.ones(x.shape[0]))
        + F.huber_loss(a, b)
    )


@of_two_layers({"x": normal(8), "target": normal(4)})
def loss_between_distributions(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    return (
        F.kl_div(y.log_softmax(-1), target.softmax(-1), reduction="batchmean")
        + 0.1 * y.logsumexp(1).square().mean()
    )


@module((8,), a=linear(8, 8), head=linear(8, 4))
def activations_of_many_kinds(m, x):
    y = m.a(x)
    for act in (
        F.celu,
        F.softsign,
        F.hardtanh,
        F.tanhshrink,
        F.hardsigmoid,
        F.logsigmoid,
        F.relu6,
        F.selu,
        F.softshrink,
        F.hardshrink,
    ):
        y = y + act(2 * y)
    return m.head(torch.tanh(y))


@module((8,), a=linear(8, 8), head=linear(8, 4))
def functions_of_many_kinds(m, x):
    y = m.a(x)
    z = y.sigmoid() * 0.9 + 0.05
    rows = [
        torch.asin(z),
        torch.log1p(z),
        torch.expm1(y),
        torch.sinh(y),
        torch.atan(y),
        torch.erf(y),
        torch.acosh(z + 1.1),
        torch.logit(z),
        torch.rsqrt(z),
        z**y,
        torch.tan(z),
        torch.xlogy(z, z),
        torch.lerp(z, y, 0.3),
        torch.exp2(y),
        torch.log2(z),
        torch.sinc(y),
        y % 0.7,
        torch.frac(y),
        y.abs().sqrt(),
        torch.remainder(y, z),
        torch.logaddexp(y, z),
    ]
    return m.head(torch.stack(rows, 1).mean(1))


def masked_entropy(m, x, labels, bound):
    mask = (labels > 0).float()
    losses = F.cross_entropy(m.head(torch.tanh(m.a(x))), labels, reduction="none")
    return (losses * mask).sum() / bound(mask.sum())


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_a_mask_of_floats(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: count.clamp(min=1))


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_a_mask_and_a_little(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: count + 1e-6)


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_a_mask_of_at_least_a_hundred(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: count.clamp(min=100))


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_a_mask_of_classes(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: (2.5 * count + 1e-6) / 1.5)


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_a_mean_by_a_mean(m, x, labels):
    mask = (labels > 0).float()
    losses = F.cross_entropy(m.head(torch.tanh(m.a(x))), labels, reduction="none")
    return (losses * mask).mean() / mask.mean().clamp(min=1e-8)


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_a_sum_by_a_mean(m, x, labels):
    mask = (labels > 0).float()
    losses = F.cross_entropy(m.head(torch.tanh(m.a(x))), labels, reduction="none")
    return (losses * mask).sum() / mask.mean()


@of_two_layers({"x": normal(8), "target": normal(4), "labels": integers(4)})
def loss_of_a_stack(m, x, target, labels):
    hidden = torch.tanh(m.a(x))
    scores = m.head(hidden)
    losses = [
        F.cross_entropy(scores, labels),
        F.mse_loss(scores, target),
        hidden.square().mean(),
    ]
    return torch.stack(losses).mean()


@of_two_layers({"x": normal(8), "target": normal(4)})
def loss_of_a_mean_of_means(m, x, target):
    return (m.head(torch.tanh(m.a(x))) - target).square().mean(0).mean()


def logits():
    """Of sigmoids that are moderate, sure, and as good as 0."""
    return torch.nn.Parameter(
        torch.tensor([-130.0, -3.0, -0.5, 0.0, 0.5, 3.0, 130.0, 140.0])
    )


of_probabilities = functools.partial(module, has_loss=True, p=logits)


@of_probabilities({"x": normal(8), "labels": integers(2, 8)})
def loss_of_probabilities(m, x, labels):
    y = torch.sigmoid(m.p + 0.1 * x)
    return F.binary_cross_entropy(y, labels.to(y.dtype))


@of_probabilities({"x": normal(8)})
def loss_of_real_and_fake(m, x):
    y = torch.sigmoid(m.p + 0.1 * x)
    return (
        F.binary_cross_entropy(y, torch.ones_like(y))
        + 0.5 * F.binary_cross_entropy(y, torch.zeros_like(y))
        + F.binary_cross_entropy(y, torch.full_like(y, 0.9))
    )


@of_probabilities({"x": normal(8), "labels": integers(2, 8)})
def loss_of_probabilities_weighted(m, x, labels):
    y = torch.sigmoid(m.p + 0.1 * x)
    targets = labels.to(y.dtype)
    return F.binary_cross_entropy(y, targets, weight=1 + targets)


@of_probabilities({"x": normal(8)})
def loss_of_halves_real_and_fake(m, x):
    y = torch.sigmoid(m.p + 0.1 * x)
    targets = torch.cat([torch.ones(8), torch.zeros(8)]).to(y.dtype)
    both = torch.cat([y, y.flip(1)], 1)
    return F.binary_cross_entropy(both, targets.expand_as(both))


@of_two_layers({"x": normal(8), "target": normal(4)}, refused="E0602")
def loss_of_a_stack_with_a_sum(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    return torch.stack([F.mse_loss(y, target), F.mse_loss(y, target, reduction="sum")]).mean()


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_a_mean_by_a_count(m, x, labels):
    mask = (labels > 0).float()
    losses = F.cross_entropy(m.head(torch.tanh(m.a(x))), labels, reduction="none")
    return (losses * mask).mean() / mask.sum()


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_a_count_of_each_sample(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: count * x.shape[0])


@of_two_layers({"x": normal(8), "target": normal(4)}, refused="E0602")
def loss_of_a_mean_by_the_samples(m, x, target):
    return F.mse_loss(m.head(torch.tanh(m.a(x))), target) / x.shape[0]


@of_two_layers(
    {"x": normal(8), "target": normal(4)}, refused=FOLDED | {"unoptimized": "E0602"}
)
def loss_of_a_penalty_by_the_samples(m, x, target):
    penalty = m.a.weight.square().sum() / x.shape[0]
    return F.mse_loss(m.head(torch.tanh(m.a(x))), target) + penalty


@of_two_layers({"x": normal(8), "labels": integers(4)})
def loss_of_a_multiple_of_a_count(m, x, labels):
    return masked_entropy(m, x, labels, lambda count: 4 * count.clamp(min=1))


@of_two_layers({"x": normal(8), "target": normal(4)}, refused="E0602")
def loss_of_a_root_of_a_mean(m, x, target):
    return F.mse_loss(m.head(torch.tanh(m.a(x))), target).sqrt()


@of_two_layers({"x": normal(8), "target": normal(4)})
def loss_of_a_sum_by_the_samples(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    return (y - target).square().sum() * (0.5 / x.shape[0]) + y.abs().sum(1).mean(0)


def three_losses(m, x, target, labels):
    hidden = torch.tanh(m.a(x))
    scores = m.head(hidden)
    means = [F.cross_entropy(scores, labels), hidden.square().mean()]
    return torch.stack([*means, F.mse_loss(scores, target)])


@module(
    {"x": normal(8), "target": normal(4), "labels": integers(4)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    shares=lambda: torch.tensor([0.5, 0.3, 0.2]),
)
def loss_of_a_weighted_stack(m, x, target, labels):
    return (three_losses(m, x, target, labels) * m.shares).sum()


@module(
    {"x": normal(8), "target": normal(4), "labels": integers(4)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    s=lambda: torch.nn.Parameter(torch.tensor([0.3, -0.2, 0.1])),
    refused=FOLDED,
)
def loss_of_a_stack_with_learned_shares(m, x, target, labels):
    return (0.5 * torch.exp(-m.s) * three_losses(m, x, target, labels) + 0.5 * m.s).mean()


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_numbered_samples(m, x, labels):
    place = 1 + torch.arange(x.shape[0], dtype=x.dtype)
    return F.cross_entropy(m.head(torch.tanh(m.a(x))) * place[:, None], labels)


@of_two_layers({"x": normal(8), "y": normal(8)})
def loss_of_two_halves_of_a_batch(m, x, y):
    both = m.head(torch.tanh(m.a(torch.cat([x, y]))))[:, 0]
    real = torch.cat([x.new_ones(x.shape[0]), x.new_zeros(x.shape[0])])
    return F.binary_cross_entropy_with_logits(both, real)


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_samples_by_their_parity(m, x, labels):
    losses = F.cross_entropy(m.head(torch.tanh(m.a(x))), labels, reduction="none")
    return (losses * torch.where(torch.arange(x.shape[0]) % 2 == 0, 1.0, 2.0)).mean()


@of_two_layers({"x": normal(8)}, refused="E0602")
def loss_of_labels_by_place(m, x):
    return F.cross_entropy(m.head(torch.tanh(m.a(x))), torch.arange(x.shape[0]) % 4)


@of_two_layers({"x": normal(8), "labels": integers(4)}, refused="E0602")
def loss_of_a_half_by_place(m, x, labels):
    is_real = torch.arange(x.shape[0]) < x.shape[0] // 2
    y = m.head(torch.tanh(m.a(x)))
    real = F.binary_cross_entropy_with_logits(y[:, 0], is_real.to(y.dtype))
    return real + F.cross_entropy(y, labels)


@of_two_layers({"x": normal(8)}, refused="E0602")
def loss_of_scores_by_the_samples(m, x):
    y = m.head(torch.tanh(m.a(x)))
    z = torch.where(y > 5, -float("inf"), y).softmax(-1)
    return (z / x.shape[0]).exp().mean()


@of_two_layers({"x": normal(8)}, refused="E0602")
def loss_of_columns_by_the_samples(m, x):
    return (m.head(torch.tanh(m.a(x))) * (torch.arange(4) / x.shape[0])).mean()


@of_two_layers({"x": normal(8), "target": normal(4)}, refused="E0602")
def loss_of_a_square_by_the_samples(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    others = [(number - y).square().mean() for number in (3.0, 6.0, 12.0)]
    return (y / x.shape[0] - target).square().mean() + sum(others)


@of_two_layers({"x": normal(8), "target": normal(4)})
def loss_with_a_term_switched_off(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    return F.mse_loss(y, target) + 0.0 * y.abs().mean()


@module(
    {"x": normal(8), "target": normal(4)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    log=filled(0.3, 4),
)
def loss_of_one_deviation_for_all(m, x, target):
    y = m.head(torch.tanh(m.a(x)))
    log = m.log.expand_as(y)
    return ((-log).exp() * (target - y).square()).mean() + log.mean()


@module(
    {"x": normal(8), "target": normal(4), "labels": integers(4)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    sigma=lambda: torch.nn.Parameter(torch.tensor(0.7)),
    refused=FOLDED,
)
def loss_by_a_learned_deviation(m, x, target, labels):
    y = m.head(torch.tanh(m.a(x)))
    share = F.mse_loss(y, target) / (2 * m.sigma**2)
    return share + F.cross_entropy(y, labels) + m.sigma.log()


@module(
    {"x": normal(5, 8)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    places=filled(0.5, 20, 1, 8),
    refused="E0602",
)
def loss_of_positions_by_the_sample(m, x):
    return m.head(torch.tanh(m.a(x + m.places[: x.size(0)]))).square().mean()


@module(
    {"x": normal(8)}, has_loss=True, a=linear(9, 8), head=linear(8, 4), refused="E0602"
)
def loss_of_parities_beside_samples(m, x):
    parity = (torch.arange(x.shape[0]) % 2).to(x.dtype)
    return m.head(torch.tanh(m.a(torch.cat([x, parity[:, None]], 1)))).square().mean()


@module(
    {"x": normal(400, 8)},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 4),
    table=lambda: torch.nn.Embedding(400, 8),
)
def loss_of_positions_of_all_samples(m, x):
    places = torch.arange(x.shape[1]).unsqueeze(0).repeat(x.shape[0], 1)
    return m.head(torch.tanh(m.a(x + m.table(places)))).square().mean()


@module(
    {"x": normal(8), "target": normal()},
    has_loss=True,
    a=linear(8, 8),
    head=linear(8, 1),
)
def loss_of_squeezed_scores(m, x, target):
    return F.mse_loss(m.head(torch.tanh(m.a(x))).squeeze(), target.squeeze())
