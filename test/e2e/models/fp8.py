# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers in fp8, with scales of what each tensor is now, on PyTorch's types.

Products of numbers of 8 bits are exact in float32, so nothing but the order of a
sum is left open.  A scale is of one whole tensor of one microbatch; or, if it is
delayed, of what the tensor was in all steps before.  Weights are never delayed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}
# A tensor of zeros has a scale too.
SMALLEST_AMAX = 2.0**-100
# So many steps a delayed scale looks back.
HISTORY = 1024


@dataclass(frozen=True)
class Format:
    values: torch.dtype = torch.float8_e4m3fn
    gradients: torch.dtype = torch.float8_e5m2


FORMATS = {"hybrid": Format(), "e4m3": Format(gradients=torch.float8_e4m3fn)}


def fitting_scale(amax: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Brings `amax` to the largest number of `dtype`."""
    # One rounding: a number divided by a tensor is its reciprocal times the number.
    return torch.tensor(LARGEST[dtype]).div(amax.clamp_min(SMALLEST_AMAX))


class DelayedScale:
    """Of one tensor: constant in a step, and 1 in the first."""

    def __init__(self, dtype: torch.dtype):
        self.dtype = dtype
        self.value = torch.tensor(1.0)
        self.amax = torch.tensor(0.0)  # over the microbatches of this step
        self.history: deque[torch.Tensor] = deque(maxlen=HISTORY)

    def record(self, tensor: torch.Tensor) -> None:
        self.amax = torch.maximum(self.amax, tensor.abs().amax())

    def end_step(self) -> None:
        self.history.append(self.amax)
        self.amax = torch.tensor(0.0)
        amax = torch.stack(tuple(self.history)).amax()
        if amax.isfinite() and amax > 0:
            self.value = fitting_scale(amax, self.dtype)


def quantize(
    tensor: torch.Tensor, dtype: torch.dtype, delayed: DelayedScale | None = None
) -> tuple[torch.Tensor, ...]:
    """The scaled tensor in `dtype`, as float32, and the inverse of its scale."""
    tensor = tensor.float()
    largest = LARGEST[dtype]
    if delayed:
        delayed.record(tensor)
        scale = delayed.value
    else:
        scale = fitting_scale(tensor.abs().amax(), dtype)
    # PyTorch's conversion makes NaN of what is too large; clamping keeps NaN.
    scaled = (tensor * scale).clamp(-largest, largest)
    return scaled.to(dtype).float(), scale.reciprocal()


@dataclass(frozen=True)
class Scales:
    """The delayed scales of one product: of what it reads, and of its gradient."""

    x: DelayedScale | None = None
    dy: DelayedScale | None = None


class Product(torch.autograd.Function):
    """x in bf16 times the transposed weight in f32; the result is in bf16."""

    @staticmethod
    def forward(ctx, x, weight, bias, form: Format, scales: Scales):
        with torch.autocast("cpu", enabled=False):
            qx, x_inverse = quantize(x, form.values, scales.x)
            qw, w_inverse = quantize(weight, form.values)
            y = (qx @ qw.t()) * x_inverse * w_inverse
            if bias is not None:
                y = y + bias
        ctx.save_for_backward(qx, x_inverse, qw, w_inverse)
        ctx.kind = x.dtype
        ctx.form, ctx.scales, ctx.biased = form, scales, bias is not None
        return y.bfloat16()

    @staticmethod
    def backward(ctx, dy):
        qx, x_inverse, qw, w_inverse = ctx.saved_tensors
        dy = dy.bfloat16()
        kind = ctx.kind
        q, inverse = quantize(dy, ctx.form.gradients, ctx.scales.dy)
        dx = (q @ qw) * inverse * w_inverse
        rows = q.reshape(-1, q.shape[-1])
        dw = (rows.t() @ qx.reshape(-1, qx.shape[-1])) * inverse * x_inverse
        db = dy.float().flatten(0, -2).sum(0) if ctx.biased else None
        return dx.bfloat16().to(kind), dw, db, None, None


class Fp8Linear(nn.Module):
    """Has the parameters of the layer that it replaces."""

    def __init__(self, linear: nn.Linear, form: Format, scales: Scales):
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.form, self.scales = form, scales

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not torch.is_autocast_enabled("cpu"):
            return F.linear(x, self.weight, self.bias)
        return Product.apply(x, self.weight, self.bias, self.form, self.scales)


def convert(network: nn.Module, name: str, delayed: bool) -> Callable[[], None]:
    """Replaces all linear layers but the last, which makes the logits.

    The result ends a step.  Each layer has delayed scales of its own: those of
    two layers that read one tensor would be equal."""
    form = FORMATS[name]
    linears = [m for m in network.named_modules() if isinstance(m[1], nn.Linear)]
    states: list[DelayedScale] = []
    for path, module in linears[:-1]:
        scales = Scales()
        if delayed:
            scales = Scales(DelayedScale(form.values), DelayedScale(form.gradients))
            states += [scales.x, scales.dy]
        parent, _, own = path.rpartition(".")
        replacement = Fp8Linear(module, form, scales)
        setattr(network.get_submodule(parent), own, replacement)

    def end_step() -> None:
        for state in states:
            state.end_step()

    return end_step
