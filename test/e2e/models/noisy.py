# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model that draws random numbers other than dropout's, and one that writes at
chosen places in every way."""

from __future__ import annotations

import architectures
import torch
from torch import nn


class NoisyClassifier(nn.Module):
    """The classifier `mlp` with noise of every kind: normal, added to features;
    uniform, where features stand in front of samples; whole samples dropped; and
    normal numbers that are the same for all samples."""

    def __init__(self, classifier: nn.Module):
        super().__init__()
        self.layers = classifier.layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.layers[1](self.layers[0](x))
        h = h + 0.2 * torch.randn_like(h)
        h = self.layers[3](self.layers[2](h)).t()
        h = (h * (0.5 + torch.rand_like(h))).t()
        kept = torch.bernoulli(torch.full_like(h[:, :1], 0.8)) / 0.8
        return self.layers[4](h * kept) + 0.05 * torch.randn(10)


def mlp_noise() -> nn.Module:
    return NoisyClassifier(architectures.mlp())


class Reducing(nn.Module):
    """Each sample chooses places and writes there: the largest, the least, the
    product of what is there and what comes; two updates may meet in one place."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(21, 24)
        self.updates = nn.Linear(21, 16)
        self.last = nn.Linear(24, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(self.first(x)).view(-1, 4, 6)
        updates = self.updates(x).view(-1, 4, 4)
        places = x[:, :16].view(-1, 4, 4).mul(3).long().remainder(6)
        for reduce in ("amax", "prod", "amin"):
            h = h.scatter_reduce(2, places, updates, reduce)
            places = (places + 1).remainder(6)
        return self.last(h.flatten(1))


def reducing(seed: int = 67) -> nn.Module:
    torch.manual_seed(seed)
    return architectures.perturb(Reducing(), seed + 1)
