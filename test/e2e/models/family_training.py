# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the families of families.py in PyTorch, as check_families.py has them trained.

The loop is that of training.py, over the same samples in the same order.
"""

from __future__ import annotations

import copy
import dataclasses

import torch
from torch import nn
from training import (
    Data,
    Optimizer,
    Result,
    Schedule,
    accumulate,
    cast_floats,
    mean_loss,
    train,
)

from families import Family, Inputs

# The last of a step's three microbatches is short, and one of two ranks has
# nothing to do in the second iteration.
MICROBATCH, GLOBAL_BATCH, STEPS = 4, 11, 10
# Whole microbatches for two ranks, where samples are compared with each other.
WHOLE_BATCH = 8
OPTIMIZER = Optimizer("sgd", momentum=0.9, weight_decay=0.0, clip_norm=1.0)
# Of the second microbatch.
PERTURBED = 5
TARGETS = ("labels", "target")


class ByName(nn.Module):
    """A family called as training.py calls models: what is in front is the rows'
    numbers, and what counts targets lies beside the inputs."""

    def __init__(self, family: nn.Module):
        super().__init__()
        self.family = family

    def forward(self, rows, **inputs):
        dtype = next(self.parameters()).dtype
        return (self.family(**cast_floats(inputs, dtype)),)


def _data(inputs: Inputs) -> Data:
    arrays = {name: value.numpy() for name, value in inputs.items()}
    rows = torch.arange(len(next(iter(arrays.values())))).numpy()
    # Where nothing is a target, each sample counts as one.
    targets = next((arrays[name] for name in TARGETS if name in arrays), rows)
    return Data(rows, targets, arrays)


def _own_names(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix("family."): t for name, t in tensors.items()}


def global_batch(family: Family) -> int:
    return WHOLE_BATCH if family.compares_samples else GLOBAL_BATCH


def train_family(
    module: nn.Module,
    inputs: Inputs,
    family: Family,
    dtype: torch.dtype,
    steps: int = STEPS,
) -> Result:
    """Leaves `module` as it is."""
    model = ByName(copy.deepcopy(module)).to(dtype)
    result = train(
        model,
        _data(inputs),
        dataclasses.replace(OPTIMIZER, lr=family.lr),
        Schedule(),
        global_batch(family),
        steps,
        microbatch=MICROBATCH,
    )
    result.gradients = _own_names(result.gradients)
    result.final = _own_names(result.final)
    return result


def accumulate_family(
    model: ByName, inputs: Inputs, family: Family
) -> dict[str, torch.Tensor]:
    """The gradients of step 1, as train_family has them. Leaves statistics alone."""
    before = {name: value.clone() for name, value in model.named_buffers()}
    model.zero_grad()
    batch = _data(inputs).batch(0, global_batch(family))
    accumulate(model, batch, MICROBATCH, autocast=False)
    for name, value in model.named_buffers():
        value.copy_(before[name])
    return _own_names(
        {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    )


def perturb(inputs: Inputs) -> Inputs:
    """One sample gets its neighbour's inputs, and keeps its targets."""
    changed = {name: value.clone() for name, value in inputs.items()}
    for name in set(inputs) - set(TARGETS):
        changed[name][PERTURBED] = inputs[name][PERTURBED + 1]
    return changed


def has_batch_norm(module: nn.Module) -> bool:
    kind = nn.modules.batchnorm._BatchNorm
    return any(isinstance(part, kind) for part in module.modules())


def own_loss(module: nn.Module, inputs: Inputs, batch: int) -> float:
    """What the perturbed sample alone, in double, adds to the loss of step 1."""
    model = ByName(copy.deepcopy(module)).double()
    data = _data(inputs)
    valid = data.targets[:batch] != -100
    share = float(valid[PERTURBED].sum() / valid.sum())
    row = [torch.from_numpy(a[[PERTURBED]]) for a in (data.inputs, data.targets)]
    others = {n: torch.from_numpy(a[[PERTURBED]]) for n, a in data.others.items()}
    with torch.no_grad():
        return mean_loss(model, *row, others).item() * share
