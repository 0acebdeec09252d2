# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers that torch.optim lacks, from their papers, on PyTorch's tensors."""

from __future__ import annotations

import torch


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, Symbolic Discovery of Optimization Algorithms, algorithm 2."""

    def __init__(self, params, lr: float, betas: tuple[float, float]) -> None:
        defaults = {"lr": lr, "betas": betas, "weight_decay": 0.0}
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["moment"] = torch.zeros_like(parameter)
                moment, gradient = state["moment"], parameter.grad
                update = torch.sign(torch.lerp(gradient, moment, beta1))
                update += group["weight_decay"] * parameter
                parameter -= group["lr"] * update
                moment.copy_(torch.lerp(gradient, moment, beta2))
