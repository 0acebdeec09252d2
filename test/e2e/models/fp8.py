# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers in fp8, by each of four recipes, on PyTorch's types.

Products of numbers of 8 bits are exact in float32, so nothing but the order of a
sum is left open.  A scale is of one whole tensor of one microbatch; or, if it is
delayed, of what the tensor was in all steps before, weights excepted.  Or it is of
one block of the tensor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import nn

LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}
# A tensor of zeros has a scale too.
SMALLEST_AMAX = 2.0**-100
# And so has a block of zeros.
SMALLEST_BLOCK_SCALE = 2.0**-110
# So many steps a delayed scale looks back.
HISTORY = 1024


@dataclass(frozen=True)
class Format:
    values: torch.dtype = torch.float8_e4m3fn
    gradients: torch.dtype = torch.float8_e5m2


FORMATS = {"hybrid": Format(), "e4m3": Format(gradients=torch.float8_e4m3fn)}


def cast(scaled: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The nearest numbers of `dtype`, as float32."""
    # PyTorch's conversion makes NaN of what is too large; clamping keeps NaN.
    largest = LARGEST[dtype]
    return scaled.clamp(-largest, largest).to(dtype).float()


@dataclass(frozen=True)
class Operand:
    """What a product reads, and what it multiplies the sums by afterwards."""

    numbers: torch.Tensor
    inverse: torch.Tensor | float = 1.0  # of the scale, unless `numbers` are scaled

    def t(self) -> Operand:
        return Operand(self.numbers.t(), self.inverse)

    def rows(self) -> Operand:
        return Operand(flatten_rows(self.numbers), self.inverse)


def flatten_rows(tensor: torch.Tensor) -> torch.Tensor:
    """A row of features for each token."""
    return tensor.reshape(-1, tensor.shape[-1])


def multiply(a: Operand, b: Operand) -> torch.Tensor:
    return (a.numbers @ b.numbers) * a.inverse * b.inverse


class Casts(Protocol):
    """A recipe in one layer: how its products read its tensors.

    Of `x` and `dy` the first operand has the features side by side and is for the
    product that sums over them; the second is [tokens, features] and for the
    gradient of the weight, which sums over tokens."""

    def x(self, tensor: torch.Tensor) -> tuple[Operand, Operand]: ...

    def dy(self, tensor: torch.Tensor) -> tuple[Operand, Operand]: ...

    def weight(self, tensor: torch.Tensor) -> Operand: ...

    def end_step(self) -> None: ...


# Recipes `current` and `delayed`: a scale of each tensor.


def fitting_scale(amax: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Brings `amax` to the largest number of `dtype`."""
    # One rounding: a number divided by a tensor is its reciprocal times the number.
    return torch.tensor(LARGEST[dtype]).div(amax.clamp_min(SMALLEST_AMAX))


class CurrentScale:
    """Of what the tensor is now."""

    def __init__(self, dtype: torch.dtype):
        self.dtype = dtype

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        return fitting_scale(tensor.abs().amax(), self.dtype)

    def end_step(self) -> None:
        pass


class DelayedScale:
    """Of what the tensor was: constant in a step, and 1 in the first."""

    def __init__(self, dtype: torch.dtype):
        self.dtype = dtype
        self.value = torch.tensor(1.0)
        self.amax = torch.tensor(0.0)  # over the microbatches of this step
        self.history: deque[torch.Tensor] = deque(maxlen=HISTORY)

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        self.amax = torch.maximum(self.amax, tensor.abs().amax())
        return self.value

    def end_step(self) -> None:
        self.history.append(self.amax)
        self.amax = torch.tensor(0.0)
        amax = torch.stack(tuple(self.history)).amax()
        if amax.isfinite() and amax > 0:
            self.value = fitting_scale(amax, self.dtype)


def quantize(tensor: torch.Tensor, scale: CurrentScale | DelayedScale) -> Operand:
    tensor = tensor.float()
    value = scale.of(tensor)
    return Operand(cast(tensor * value, scale.dtype), value.reciprocal())


class TensorCasts:
    """One scale for the whole of a tensor; both products read the same numbers."""

    def __init__(self, scale: type[CurrentScale | DelayedScale], form: Format):
        self.x_scale, self.dy_scale = scale(form.values), scale(form.gradients)
        self.weight_scale = CurrentScale(form.values)

    def x(self, tensor: torch.Tensor) -> tuple[Operand, Operand]:
        operand = quantize(tensor, self.x_scale)
        return operand, operand.rows()

    def dy(self, tensor: torch.Tensor) -> tuple[Operand, Operand]:
        operand = quantize(tensor, self.dy_scale)
        return operand, operand.rows()

    def weight(self, tensor: torch.Tensor) -> Operand:
        return quantize(tensor, self.weight_scale)

    def end_step(self) -> None:
        self.x_scale.end_step()
        self.dy_scale.end_step()


# Recipes `block` and `mx`: a scale of each block, which is its numbers' own.


def power_of_two(values: torch.Tensor) -> torch.Tensor:
    """The smallest one that is no smaller than each of `values`, which are
    positive and normal.  Infinity stays; NaN becomes 0 and stays in the numbers."""
    # Adding all ones to the fraction carries into the exponent, unless it was 0.
    fraction = 0x7FFFFF
    return ((values.view(torch.int32) + fraction) & ~fraction).view(torch.float32)


def block_scales(amax: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """By these the numbers of a block are multiplied to be its elements again."""
    smallest = amax.div(torch.tensor(LARGEST[dtype])).clamp_min(SMALLEST_BLOCK_SCALE)
    return power_of_two(smallest)


def block_amax(tensor: torch.Tensor, size: int, dim: int) -> torch.Tensor:
    """The largest magnitude of each `size` neighbours along `dim`; the last block
    may have fewer."""
    blocks = tensor.abs().split(size, dim)
    return torch.cat([block.amax(dim, keepdim=True) for block in blocks], dim)


def spread(blocks: torch.Tensor, size: int, dim: int, length: int) -> torch.Tensor:
    """Of each block its value, at each of its elements."""
    return blocks.repeat_interleave(size, dim).narrow(dim, 0, length)


def quantize_blocks(tensor: torch.Tensor, size: int, dim: int, dtype) -> Operand:
    """In blocks of 1 x `size` along `dim`, over which the product sums."""
    tensor = tensor.float()
    scales = block_scales(block_amax(tensor, size, dim), dtype)
    scales = spread(scales, size, dim, tensor.shape[dim])
    return Operand(cast(tensor / scales, dtype) * scales)


class WeightBlocks:
    """The scales of a weight's blocks of `size` x `size`, 1 at first."""

    def __init__(self, size: int, dtype: torch.dtype):
        self.size, self.dtype = size, dtype
        self.scales = torch.tensor(1.0)

    def quantize(self, tensor: torch.Tensor) -> Operand:
        """Once for each microbatch, and each time the same: the weight changes
        between steps alone."""
        amax = block_amax(block_amax(tensor, self.size, 0), self.size, 1)
        usable = amax.isfinite() & (amax > 0)
        fitting = block_scales(amax, self.dtype)
        self.scales = torch.where(usable, fitting, self.scales)
        scales = spread(self.scales, self.size, 0, tensor.shape[0])
        scales = spread(scales, self.size, 1, tensor.shape[1])
        return Operand(cast(tensor / scales, self.dtype) * scales)


class BlockCasts:
    """Both products cast what they read for themselves, in blocks along the index
    that they sum over.  Of a weight they read the same numbers."""

    def __init__(self, size: int, form: Format):
        self.size, self.form = size, form
        self.weight_blocks = WeightBlocks(size, form.values)

    def _both(self, tensor: torch.Tensor, dtype) -> tuple[Operand, Operand]:
        features = quantize_blocks(tensor, self.size, -1, dtype)
        tokens = quantize_blocks(flatten_rows(tensor), self.size, 0, dtype)
        return features, tokens

    def x(self, tensor: torch.Tensor) -> tuple[Operand, Operand]:
        return self._both(tensor, self.form.values)

    def dy(self, tensor: torch.Tensor) -> tuple[Operand, Operand]:
        return self._both(tensor, self.form.gradients)

    def weight(self, tensor: torch.Tensor) -> Operand:
        return self.weight_blocks.quantize(tensor)

    def end_step(self) -> None:
        pass


class Bf16Casts:
    """No recipe: what the layer reads that makes the logits.  Autocast would round
    its bias as well, which only libraries do here."""

    def x(self, tensor: torch.Tensor) -> tuple[Operand, Operand]:
        operand = Operand(tensor.bfloat16().float())
        return operand, operand.rows()

    dy = x

    def weight(self, tensor: torch.Tensor) -> Operand:
        return Operand(tensor.bfloat16().float())

    def end_step(self) -> None:
        pass


RECIPES: dict[str, Callable[[Format], Casts]] = {
    "current": partial(TensorCasts, CurrentScale),
    "delayed": partial(TensorCasts, DelayedScale),
    "block": partial(BlockCasts, 128),
    "mx": partial(BlockCasts, 32),
}


class Product(torch.autograd.Function):
    """x in bf16 times the transposed weight in f32; the result is in bf16.  With
    `rounds_bias` so is the bias that is added to the sums."""

    @staticmethod
    def forward(ctx, x, weight, bias, casts: Casts, rounds_bias: bool):
        with torch.autocast("cpu", enabled=False):
            features, tokens = casts.x(x)
            w = casts.weight(weight)
            y = multiply(features, w.t())
            if bias is not None:
                y = y + (bias.bfloat16().float() if rounds_bias else bias)
        ctx.x, ctx.w = tokens, w
        ctx.kind = x.dtype
        ctx.casts, ctx.biased = casts, bias is not None
        return y.bfloat16()

    @staticmethod
    def backward(ctx, dy):
        dy = dy.bfloat16()
        features, tokens = ctx.casts.dy(dy)
        dx = multiply(features, ctx.w)
        dw = multiply(tokens.t(), ctx.x)
        db = dy.float().flatten(0, -2).sum(0) if ctx.biased else None
        return dx.bfloat16().to(ctx.kind), dw, db, None, None


class CastLinear(nn.Module):
    """Has the parameters of the layer that it replaces."""

    def __init__(self, linear: nn.Linear, casts: Casts, rounds_bias: bool):
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.casts, self.rounds_bias = casts, rounds_bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not torch.is_autocast_enabled("cpu"):
            return F.linear(x, self.weight, self.bias)
        casts, rounds_bias = self.casts, self.rounds_bias
        return Product.apply(x, self.weight, self.bias, casts, rounds_bias)


def convert(
    network: nn.Module, recipe: str, form: str, rounds_bias: bool
) -> Callable[[], None]:
    """Replaces all linear layers; the last one, which makes the logits, stays bf16.
    `rounds_bias`: as where a library computes products and adds biases.

    The result ends a step.  Each layer has scales of its own: those of two layers
    that read one tensor would be equal."""
    linears = [m for m in network.named_modules() if isinstance(m[1], nn.Linear)]
    every: list[Casts] = [RECIPES[recipe](FORMATS[form]) for _ in linears[:-1]]
    every.append(Bf16Casts())
    for (path, module), casts in zip(linears, every, strict=True):
        parent, _, own = path.rpartition(".")
        layer = CastLinear(module, casts, rounds_bias)
        setattr(network.get_submodule(parent), own, layer)

    def end_step() -> None:
        for casts in every:
            casts.end_step()

    return end_step
