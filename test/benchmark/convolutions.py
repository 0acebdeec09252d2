# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of 64 channels and more, side by side, and a square product."""

from __future__ import annotations

import torch
from against_product import IN_A_ROW, KERNELS, SQUARE
from torch import nn


class Convolutions(nn.Module):
    """Each layer on its part of the input; the logits depend on all of them."""

    def __init__(self, batch: int) -> None:
        super().__init__()
        self.rows = SQUARE // batch
        for layer, (channels, window, _) in KERNELS.items():
            each = [
                nn.Conv2d(channels, channels, window, padding=window // 2, bias=False)
                for _ in range(IN_A_ROW)
            ]
            setattr(self, layer, nn.Sequential(*each))
        each = [nn.Linear(SQUARE, SQUARE, bias=False) for _ in range(IN_A_ROW)]
        self.square = nn.Sequential(*each)
        self.head = nn.Linear(len(KERNELS) + 1, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        means = []
        for layer, (channels, _, side) in KERNELS.items():
            image = x[:, : channels * side * side].reshape(-1, channels, side, side)
            means.append(getattr(self, layer)(image).mean((1, 2, 3)))
        rows = x[:, : self.rows * SQUARE].reshape(-1, self.rows, SQUARE)
        means.append(self.square(rows).mean((1, 2)))
        return self.head(torch.stack(means, 1))
