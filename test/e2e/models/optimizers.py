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


def dynamic_code(signed: bool) -> torch.Tensor:
    """The 256 numbers of the dynamic code, ascending, by its definition."""
    numbers = [0.0, 1.0]
    for decade in range(7):
        cells = 2**decade if signed else 2 ** (decade + 1)
        edges = torch.linspace(0.1, 1.0, cells + 1, dtype=torch.float64)
        middles = (edges[:-1] + edges[1:]) / 2 * 10.0 ** (decade - 6)
        numbers += middles.tolist()
        numbers += (-middles).tolist() if signed else []
    assert len(numbers) == 256
    return torch.tensor(sorted(numbers), dtype=torch.float64)


class Blocks:
    """A flat tensor, rounded to a code in blocks of 256 with their own scales."""

    SIZE = 256

    def __init__(self, elements: int, signed: bool, dtype: torch.dtype) -> None:
        self.numbers = dynamic_code(signed).to(dtype)
        self.borders = (self.numbers[1:] + self.numbers[:-1]) / 2
        self.codes = torch.full((elements // self.SIZE, self.SIZE), 127 if signed else 0)
        self.scales = torch.zeros(elements // self.SIZE, 1, dtype=dtype)

    def load(self) -> torch.Tensor:
        return (self.numbers[self.codes] * self.scales).flatten()

    def store(self, values: torch.Tensor) -> None:
        rows = values.reshape(-1, self.SIZE)
        self.scales = rows.abs().amax(dim=1, keepdim=True)
        shares = torch.where(self.scales > 0, rows / self.scales, 0.0)
        self.codes = torch.bucketize(shares, self.borders, right=True)


class BlockwiseAdamW(torch.optim.Optimizer):
    """AdamW whose moments are 8-bit codes (Dettmers et al. 2022).

    A group is what is laid out together: its parameters one behind the other, each
    at a multiple of 16 elements; blocks are cut from that.
    """

    def __init__(self, params, lr: float, betas: tuple[float, float], eps: float) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps})
        self.steps = 0

    @staticmethod
    def _layout(group) -> tuple[list[slice], int]:
        places, end = [], 0
        for parameter in group["params"]:
            begin = (end + 15) // 16 * 16
            end = begin + parameter.numel()
            places.append(slice(begin, end))
        return places, (end + Blocks.SIZE - 1) // Blocks.SIZE * Blocks.SIZE

    @torch.no_grad()
    def step(self) -> None:
        self.steps += 1
        for group in self.param_groups:
            places, elements = self._layout(group)
            dtype = group["params"][0].dtype
            state = self.state[group["params"][0]]
            if not state:
                state["first"] = Blocks(elements, True, dtype)
                state["second"] = Blocks(elements, False, dtype)
            gradient = torch.zeros(elements, dtype=dtype)
            for parameter, place in zip(group["params"], places):
                gradient[place] = parameter.grad.flatten()
            beta1, beta2 = group["betas"]
            first = beta1 * state["first"].load() + (1 - beta1) * gradient
            second = beta2 * state["second"].load() + (1 - beta2) * gradient**2
            root = (second / (1 - beta2**self.steps)).sqrt() + group["eps"]
            change = group["lr"] / (1 - beta1**self.steps) * first / root
            for parameter, place in zip(group["params"], places):
                parameter *= 1 - group["lr"] * group["weight_decay"]
                parameter -= change[place].reshape(parameter.shape)
            state["first"].store(first)
            state["second"].store(second)
