# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from architectures import perturb
from torch import nn


class Experts(nn.Module):
    """A mixture of experts: two of five compute each sample, with matrices that are
    gathered for it and multiply a column, or lie transposed and multiply a row."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(21, 16)
        self.router = nn.Linear(16, 5, bias=False)
        self.gate_up = nn.Parameter(torch.randn(5, 26, 16) / 4)
        self.down = nn.Parameter(torch.randn(5, 13, 16) / 4)
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(self.first(x))
        shares, experts = self.router(h).softmax(1).topk(2, dim=1)
        chosen = experts.flatten()
        rows = h.repeat_interleave(2, dim=0)
        both = torch.bmm(self.gate_up[chosen], rows[:, :, None])[:, :, 0]
        gate, up = both.chunk(2, dim=1)
        made = torch.bmm((F.silu(gate) * up)[:, None], self.down[chosen])[:, 0]
        made = made * shares.flatten()[:, None]
        return self.last(h + made.view(-1, 2, 16).sum(1))


def experts(seed: int = 72) -> nn.Module:
    torch.manual_seed(seed)
    return perturb(Experts(), seed + 1)
