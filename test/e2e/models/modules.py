# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The register of small modules that check_modules.py compares with PyTorch.

    @module((12, 16), gate=part(nn.Linear, 16, 12), scale=weights(16))
    def gated(m, x):
        return m.gate(x).softmax(-1).mean(1)

A module is its forward function and what it is made of: modules, parameters, and
tensors, which become buffers.  Its result are scores of CLASSES classes for each
sample.  The modules_NAME.py register theirs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import nn

CLASSES = 4
part = functools.partial
linear = functools.partial(part, nn.Linear)
conv = functools.partial(part, nn.Conv2d)
# How a module has to be refused where the default exporter merges equal parameters,
# merges a batch norm into the layer before it, or computes with parameters.
EQUAL, MERGED, FOLDED = {"dynamo": "E0404"}, {"dynamo": "E0206"}, {"dynamo": "E0401"}
Maker = Callable[[int], torch.Tensor]  # of an input for so many samples


@dataclass(frozen=True)
class Module:
    name: str
    forward: Callable
    parts: dict[str, Callable]
    inputs: dict[str, Maker]
    # Whether samples influence each other, so that microbatches have to be whole.
    mixes: bool = False
    # Whether the result is the loss, of `labels` if there is such an input.
    has_loss: bool = False
    # By exporter, how this has to end instead of training: the code of accelc's
    # error, or "export" where the exporter itself refuses.
    refused: dict[str, str] = field(default_factory=dict)

    def build(self) -> nn.Module:
        return type(self.name, (_Parts,), {"forward": self.forward})(self.parts)


class _Parts(nn.Module):
    def __init__(self, parts: dict[str, Callable]):
        super().__init__()
        for name, make in parts.items():
            made = make()
            if type(made) is torch.Tensor:
                self.register_buffer(name, made)
            else:
                setattr(self, name, made)


MODULES: list[Module] = []


def module(shape, *, mixes=False, has_loss=False, refused=None, **parts):
    """Registers the function below.  `shape`: of a sample of `x`, or by name what
    makes an input.  `refused`: by exporter, or of both."""
    inputs = shape if isinstance(shape, dict) else {"x": normal(*shape)}
    if isinstance(refused, str):
        refused = {"dynamo": refused, "unoptimized": refused}

    def register(forward):
        MODULES.append(
            Module(
                forward.__name__, forward, parts, inputs, mixes, has_loss, refused or {}
            )
        )
        return forward

    return register


def normal(*shape: int) -> Maker:
    return lambda samples: torch.randn(samples, *shape)


def integers(limit: int, *shape: int) -> Maker:
    return lambda samples: torch.randint(0, limit, (samples, *shape))


def weights(*shape: int, scale=0.2) -> Callable:
    return lambda: nn.Parameter(scale * torch.randn(shape))


def filled(value: float, *shape: int) -> Callable:
    return lambda: nn.Parameter(torch.full(shape, value))


def zeros_linear(*sizes: int) -> Callable:
    def make():
        layer = nn.Linear(*sizes)
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
        return layer

    return make
