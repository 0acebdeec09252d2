# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks: a classifier of sequences and a language model."""

from __future__ import annotations

import torch
from architectures import perturb
from torch import nn


class SequenceClassifier(nn.Module):
    """Two LSTM layers in both directions over 7 steps of 3 features, with steps in
    front of samples; reads every step's output, and the last states."""

    def __init__(self, dropout: float):
        super().__init__()
        self.lstm = nn.LSTM(3, 5, num_layers=2, bidirectional=True, dropout=dropout)
        self.head = nn.Linear(20, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = x.unflatten(1, (7, 3)).transpose(0, 1)
        outputs, (hidden, cell) = self.lstm(steps)
        last = hidden[2:] + cell[:2]
        return self.head(torch.cat([outputs.mean(0), last[0], last[1]], dim=1))


class RecurrentDecoder(nn.Module):
    """A GRU language model that starts with a state of its own, which is learnt."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(61, 12)
        self.start = nn.Parameter(torch.randn(1, 1, 14) / 4)
        self.gru = nn.GRU(12, 14, batch_first=True)
        self.head = nn.Linear(14, 61)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        start = self.start.expand(1, tokens.shape[0], 14).contiguous()
        return self.head(self.gru(self.table(tokens), start)[0])


def lstm(dropout: float = 0.0, seed: int = 61) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(SequenceClassifier(dropout), seed + 1)


def gru(seed: int = 63) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(RecurrentDecoder(), seed + 1)
