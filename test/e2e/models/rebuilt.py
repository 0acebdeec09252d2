# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A classifier whose weights the exporter computes with, so that accelc needs them
beside the file: bias tables, exp, sigmoid and softplus of weights, weight norms."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from architectures import perturb
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

POSITIONS, CHANNELS, HEADS = 4, 6, 2


class BiasedAttention(nn.Module):
    """A row of the table for each distance, as Swin and T5 have it; and a column of
    the other one, as LeViT has it."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2 * POSITIONS - 1, HEADS)
        self.columns = nn.Parameter(torch.randn(HEADS, POSITIONS) / 3)
        self.mix = nn.Linear(CHANNELS, 3 * CHANNELS, bias=False)
        places = torch.arange(POSITIONS)
        self.register_buffer("near", (places[:, None] - places).abs(), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.mix(x).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind(0)
        places = torch.arange(POSITIONS)
        distance = places[None] - places[:, None] + POSITIONS - 1
        bias = self.table(distance).permute(2, 0, 1)[None]
        scores = query @ key.transpose(2, 3) + bias + self.columns[:, self.near]
        return x + (scores.softmax(3) @ value).transpose(1, 2).flatten(2)


class Decay(nn.Module):
    """As Mamba begins: with the same weights in every layer, which the exporter
    merges."""

    def __init__(self):
        super().__init__()
        self.log = nn.Parameter(torch.arange(1.0, CHANNELS + 1).log())
        self.skip = nn.Parameter(torch.ones(CHANNELS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rate = -torch.exp(self.log)[None, None]
        return torch.tanh(x) * torch.exp(rate * x.sigmoid()) + x * self.skip[None, None]


class Rebuilt(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(21, POSITIONS * CHANNELS)
        self.attention = BiasedAttention()
        self.rows = weight_norm(nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1), dim=2)
        self.columns = weight_norm(nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1))
        self.gate = nn.Parameter(torch.randn(CHANNELS))
        self.share = nn.Parameter(torch.rand(CHANNELS))
        self.rate = nn.Parameter(torch.randn(CHANNELS))
        self.spread = nn.Parameter(torch.randn(CHANNELS, 1))
        self.last = nn.Linear(POSITIONS * CHANNELS, 10)
        self.decays = nn.ModuleList()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x).unflatten(1, (POSITIONS, CHANNELS))
        y = self.attention(y)
        for decay in self.decays:
            y = decay(y)
        z = self.columns(torch.tanh(self.rows(y.transpose(1, 2)))).transpose(1, 2)
        z = z * torch.sigmoid(self.gate) * F.softplus(self.rate, beta=1.7)
        z = z / torch.log1p(torch.exp(self.spread)).T
        y = y * (1 - self.share) + z
        return self.last(y.flatten(1))


def rebuilt(seed: int = 71) -> nn.Module:
    torch.manual_seed(seed)
    model = perturb(Rebuilt(), seed + 1)
    model.decays.extend([Decay(), Decay()])
    return model
