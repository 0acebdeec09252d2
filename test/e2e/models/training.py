# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The training step in PyTorch, as the goldens mean it.

Nothing here is clever: one batch, one backward, torch's own clipping and
optimizers.  README.md has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from groups import Average, Groups
from optimizers import BlockwiseAdamW, Lion
from torch import nn

IGNORED = -100


@dataclass(frozen=True)
class Schedule:
    """The learning rate of step s, counted from 0."""

    kind: str = "constant"
    warmup_steps: int = 0
    schedule_steps: int = 20
    min_lr: float = 0.0
    decay_steps: int = 0

    def lr(self, peak: float, step: int) -> float:
        if step < self.warmup_steps:
            return peak * (step + 1) / self.warmup_steps
        if self.kind == "constant":
            return peak
        start = self.warmup_steps
        if self.kind == "wsd":
            start = self.schedule_steps - self.decay_steps
        done = (step - start) / (self.schedule_steps - start)
        done = min(max(done, 0.0), 1.0)
        factor = 1.0 - done
        if self.kind == "cosine":
            factor = 0.5 * (1.0 + math.cos(math.pi * done))
        return self.min_lr + (peak - self.min_lr) * factor


@dataclass(frozen=True)
class Optimizer:
    kind: str = "adamw"
    lr: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.95
    eps: float = 1e-8
    momentum: float = 0.0
    weight_decay: float = 0.1
    clip_norm: float = 1.0
    decay_everything: bool = False  # only to see what a mistake would cost

    def build(
        self,
        model: nn.Module,
        bucket_of: Callable[[str], str],
        rates: dict[str, tuple[float, float]],
    ) -> torch.optim.Optimizer:
        """`rates`: of each parameter the factor of its learning rate, and its
        decay; empty: they are alike, and matrices decay."""
        if self.kind == "adamw8":
            return self._build_blockwise(model, bucket_of, rates)
        parameters = list(model.parameters())
        decayed = [p for p in parameters if p.dim() >= 2 or self.decay_everything]
        ids = {id(p) for p in decayed}
        plain = [p for p in parameters if id(p) not in ids]
        groups = [
            {"params": decayed, "weight_decay": self.weight_decay},
            {"params": plain, "weight_decay": 0.0},
        ]
        groups = [group for group in groups if group["params"]]
        if rates:
            groups = [
                {
                    "params": [p],
                    "lr_scale": rates[name][0],
                    "weight_decay": rates[name][1],
                }
                for name, p in model.named_parameters()
            ]
        if self.kind == "sgd":
            return torch.optim.SGD(groups, lr=self.lr, momentum=self.momentum)
        betas = (self.beta1, self.beta2)
        if self.kind == "lion":
            return Lion(groups, lr=self.lr, betas=betas)
        return torch.optim.AdamW(groups, lr=self.lr, betas=betas, eps=self.eps)

    def _build_blockwise(
        self,
        model: nn.Module,
        bucket_of: Callable[[str], str],
        rates: dict[str, tuple[float, float]],
    ) -> BlockwiseAdamW:
        """A group for what is updated alike of each bucket."""
        groups: dict[tuple[str, float, float], list[nn.Parameter]] = {}
        for name, p in model.named_parameters():
            decays = p.dim() >= 2 or self.decay_everything
            alike = (1.0, self.weight_decay if decays else 0.0)
            key = (bucket_of(name), *rates.get(name, alike))
            groups.setdefault(key, []).append(p)
        return BlockwiseAdamW(
            [
                {"params": params, "lr_scale": scale, "weight_decay": decay}
                for (_, scale, decay), params in groups.items()
            ],
            lr=self.lr,
            betas=(self.beta1, self.beta2),
            eps=self.eps,
        )


@dataclass
class Data:
    """Rows of inputs and targets, visited in file order, wrapping around."""

    inputs: np.ndarray
    targets: np.ndarray
    # Other arguments of forward(), by name.
    others: dict[str, np.ndarray] = field(default_factory=dict)

    def batch(
        self, step: int, size: int
    ) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
        rows = [(step * size + i) % len(self.inputs) for i in range(size)]
        others = {n: torch.from_numpy(array[rows]) for n, array in self.others.items()}
        inputs, targets = self.inputs[rows], self.targets[rows]
        return torch.from_numpy(inputs), torch.from_numpy(targets), others


@dataclass
class Result:
    loss: list[float] = field(default_factory=list)
    grad_norm: list[float] = field(default_factory=list)
    lr: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    initial: dict[str, torch.Tensor] = field(default_factory=dict)
    gradients: dict[str, torch.Tensor] = field(default_factory=dict)
    final: dict[str, torch.Tensor] = field(default_factory=dict)
    average: dict[str, torch.Tensor] = field(default_factory=dict)
    next_loss: float = 0.0


def mean_loss(model: nn.Module, inputs, targets, others) -> torch.Tensor:
    """The mean over all valid targets; logits may come wrapped (Hugging Face),
    or behind a loss of the model's own."""
    if inputs.is_floating_point():
        inputs = inputs.to(next(model.parameters()).dtype)
    output = model(inputs, **others)
    if isinstance(output, tuple):
        return output[0]
    logits = getattr(output, "logits", output)
    return F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=IGNORED
    )


def accumulate(model: nn.Module, batch, microbatch: int, autocast: bool) -> float:
    """Adds the gradients of the batch's mean loss, a microbatch after the other."""
    total = 0.0
    for part, share in _parts(*batch, microbatch):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = mean_loss(model, *part)
        loss = loss * share
        loss.backward()
        total += loss.item()
    return total


def count_targets(model: nn.Module, targets: torch.Tensor) -> int:
    """The valid ones, where the model has no count of its own."""
    own = getattr(model, "count_targets", None)
    return own(targets) if own else int((targets != IGNORED).sum())


def _snapshot(model: nn.Module) -> dict[str, torch.Tensor]:
    """Parameters, and running statistics, which a model keeps beside them."""
    tensors = dict(model.named_parameters())
    for name, buffer in model.named_buffers():
        if name.endswith((".running_mean", ".running_var")):
            tensors[name] = buffer
    return {n: t.detach().clone() for n, t in tensors.items()}


def _next_loss(model: nn.Module, batch, microbatch: int | None) -> float:
    if not microbatch:
        return mean_loss(model, *batch).item()
    parts = _parts(*batch, microbatch)
    return sum((mean_loss(model, *part) * share).item() for part, share in parts)


def _parts(inputs, targets, others, microbatch: int):
    """Microbatches, and the share that each has of the valid targets."""
    valid = (targets != IGNORED).sum()
    for begin in range(0, len(inputs), microbatch):
        rows = slice(begin, begin + microbatch)
        part = {name: rest[rows] for name, rest in others.items()}
        share = (targets[rows] != IGNORED).sum() / valid
        yield (inputs[rows], targets[rows], part), share


def train(
    model: nn.Module,
    data: Data,
    optimizer: Optimizer,
    schedule: Schedule,
    batch: int,
    steps: int,
    bucket_of: Callable[[str], str] = lambda name: "model",
    autocast: bool = False,
    microbatch: int | None = None,
    end_step: Callable[[], None] = lambda: None,
    groups: Groups = Groups(),
) -> Result:
    """`autocast`: forward runs under PyTorch's autocast to bf16; `microbatch`:
    gradients add up over so many rows at a time, not over all in one go."""
    rates = {}
    if groups != Groups():
        rates = groups.rates(model, optimizer.lr, optimizer.weight_decay)
    torch_optimizer = optimizer.build(model, bucket_of, rates)
    average = Average(model, groups.ema)
    result = Result(initial=_snapshot(model))
    for step in range(steps):
        inputs, targets, others = data.batch(step, batch)
        torch_optimizer.zero_grad()
        if microbatch:
            rows = (inputs, targets, others)
            mean = accumulate(model, rows, microbatch, autocast)
        else:
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                loss = mean_loss(model, inputs, targets, others)
            loss.backward()
            mean = loss.item()
        if step == 0:
            result.gradients = {
                n: p.grad.detach().clone()
                for n, p in model.named_parameters()
                if p.grad is not None
            }
        norm = nn.utils.clip_grad_norm_(model.parameters(), optimizer.clip_norm)
        lr = schedule.lr(optimizer.lr, step)
        for group in torch_optimizer.param_groups:
            group["lr"] = lr * group.get("lr_scale", 1.0)
        torch_optimizer.step()
        average.move()
        end_step()
        result.loss.append(mean)
        result.grad_norm.append(norm.item())
        result.lr.append(lr)
        result.tokens.append(count_targets(model, targets))
    result.final = _snapshot(model)
    if groups.ema:
        result.average = average.tensors
    with torch.no_grad():
        result.next_loss = _next_loss(model, data.batch(steps, batch), microbatch)
    return result


def cast_floats(
    tensors: dict[str, torch.Tensor], dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    return {
        name: value.to(dtype) if value.is_floating_point() else value
        for name, value in tensors.items()
    }


def move_parameters(module: nn.Module) -> None:
    """As if it were trained: no two parameters are equal, and none are 0 or 1."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape))
