# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameter groups and averages in PyTorch, as accelc's options mean them.

Rates become torch.optim's param_groups, one per parameter, with timm's `lr_scale`;
what Hugging Face decays is asked of its Trainer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import torch
import transformers
from torch import nn


@dataclass(frozen=True)
class Rule:
    """--group; `lr` as it is written there, "0.1x" or "3e-4"."""

    pattern: str
    lr: str = ""
    decay: float | None = None

    def flag(self) -> str:
        lr = [f"lr={self.lr}"] if self.lr else []
        decay = [] if self.decay is None else [f"decay={self.decay}"]
        return f"--group={self.pattern}:{','.join(lr + decay)}"

    def scale(self, lr: float) -> float:
        factor = self.lr.removesuffix("x")
        return float(factor) / (1.0 if factor != self.lr else lr)


@dataclass(frozen=True)
class Groups:
    rules: tuple[Rule, ...] = ()
    layer_decay: float = 1.0
    layer_of: Callable[[str], int] = lambda name: 0
    decay: str = "rank"
    ema: float = 0.0

    def flags(self) -> list[str]:
        flags = [rule.flag() for rule in self.rules]
        flags += [f"--layer-decay={self.layer_decay}"] * (self.layer_decay != 1)
        flags += [f"--decay={self.decay}"] * (self.decay != "rank")
        return flags + [f"--ema={self.ema}"] * (self.ema != 0)

    def rates(
        self, network: nn.Module, lr: float, weight_decay: float
    ) -> dict[str, tuple[float, float]]:
        """Of each parameter the factor of its learning rate, and its decay."""
        parameters = dict(network.named_parameters())
        decayed = {name for name, p in parameters.items() if p.dim() >= 2}
        if self.decay == "hf":
            trainer = transformers.Trainer
            decayed = set(trainer.get_decay_parameter_names(None, network))
        last = max(self.layer_of(name) for name in parameters)
        rates = {}
        for name in parameters:
            # timm.optim.param_groups_layer_decay
            scale = self.layer_decay ** (last - self.layer_of(name))
            decay = weight_decay if name in decayed else 0.0
            own = 1.0
            for rule in self.rules:
                if re.search(rule.pattern, name):
                    own = rule.scale(lr) if rule.lr else own
                    decay = decay if rule.decay is None else rule.decay
            rates[name] = (scale * own, decay)
        return rates


class Average:
    """e = X e + (1 - X) p after each step, from the first weights on."""

    def __init__(self, network: nn.Module, share: float) -> None:
        self.network, self.share = network, share
        self.tensors = {n: p.detach().clone() for n, p in network.named_parameters()}

    @torch.no_grad()
    def move(self) -> None:
        for name, parameter in self.network.named_parameters():
            self.tensors[name].mul_(self.share).add_(parameter, alpha=1 - self.share)
