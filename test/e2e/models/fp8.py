# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers in fp8, with scales of what each tensor is now, on PyTorch's types.

Products of numbers of 8 bits are exact in float32, so nothing but the order of a
sum is left open.  A scale is of one whole tensor of one microbatch.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}
# A tensor of zeros has a scale too.
SMALLEST_AMAX = 2.0**-100


@dataclass(frozen=True)
class Format:
    values: torch.dtype = torch.float8_e4m3fn
    gradients: torch.dtype = torch.float8_e5m2


FORMATS = {"hybrid": Format(), "e4m3": Format(gradients=torch.float8_e4m3fn)}


def quantize(tensor: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """The scaled tensor in `dtype`, as float32, and the inverse of its scale."""
    tensor = tensor.float()
    largest = LARGEST[dtype]
    amax = tensor.abs().amax().clamp_min(SMALLEST_AMAX)
    # One rounding: a number divided by a tensor is its reciprocal times the number.
    scale = torch.tensor(largest).div(amax)
    # PyTorch's conversion makes NaN of what is too large; clamping keeps NaN.
    scaled = (tensor * scale).clamp(-largest, largest)
    return scaled.to(dtype).float(), scale.reciprocal()


class Product(torch.autograd.Function):
    """x in bf16 times the transposed weight in f32; the result is in bf16."""

    @staticmethod
    def forward(ctx, x, weight, bias, form: Format):
        with torch.autocast("cpu", enabled=False):
            qx, x_inverse = quantize(x, form.values)
            qw, w_inverse = quantize(weight, form.values)
            y = (qx @ qw.t()) * x_inverse * w_inverse
            if bias is not None:
                y = y + bias
        ctx.save_for_backward(qx, x_inverse, qw, w_inverse)
        ctx.kind = x.dtype
        ctx.form, ctx.biased = form, bias is not None
        return y.bfloat16()

    @staticmethod
    def backward(ctx, dy):
        qx, x_inverse, qw, w_inverse = ctx.saved_tensors
        dy = dy.bfloat16()
        kind = ctx.kind
        q, inverse = quantize(dy, ctx.form.gradients)
        dx = (q @ qw) * inverse * w_inverse
        rows = q.reshape(-1, q.shape[-1])
        dw = (rows.t() @ qx.reshape(-1, qx.shape[-1])) * inverse * x_inverse
        db = dy.float().flatten(0, -2).sum(0) if ctx.biased else None
        return dx.bfloat16().to(kind), dw, db, None


class Fp8Linear(nn.Module):
    """Has the parameters of the layer that it replaces."""

    def __init__(self, linear: nn.Linear, form: Format):
        super().__init__()
        self.weight, self.bias, self.form = linear.weight, linear.bias, form

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not torch.is_autocast_enabled("cpu"):
            return F.linear(x, self.weight, self.bias)
        return Product.apply(x, self.weight, self.bias, self.form)


def convert(network: nn.Module, name: str) -> None:
    """Replaces all linear layers but the last, which makes the logits."""
    linears = [m for m in network.named_modules() if isinstance(m[1], nn.Linear)]
    for path, module in linears[:-1]:
        parent, _, own = path.rpartition(".")
        replacement = Fp8Linear(module, FORMATS[name])
        setattr(network.get_submodule(parent), own, replacement)
