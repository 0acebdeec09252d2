#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for the elements whose rounding explains a difference of gradients.

    python check_families.py WORK_DIR vgg-bn --exporter=unoptimized --seed=5
    python check_corners.py WORK_DIR/unoptimized vgg-bn 5

Where the argument of a ReLU, or the distance of a max pool's two largest numbers, is
smaller than the rounding of float32, another order of additions chooses another side,
and gradients jump.  From the last layer to the first, PyTorch in double is made to
choose the other side of one such element at a time; what brings its gradients nearer
to those that check_families.py left is kept.  If few of them bring all gradients
within rounding, nothing else differs.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import torch
from check_families import build
from families import FAMILIES
from family_training import ByName, accumulate_family
from gradients import compare_gradients
from safetensors.torch import load_file
from torch import nn

NEAR = 3e-6  # of numbers behind batch norms, which are of the order of 1
BETTER = 0.99  # of the difference of all gradients together


class Corner(nn.Module):
    """What has corners, and the elements of each microbatch whose side is changed."""

    def __init__(self):
        super().__init__()
        self.changed: set[tuple[int, int]] = set()
        self.near: list[tuple[float, int, int]] = []  # distance, microbatch, element
        self.calls = self.elements = 0

    def begin(self):
        self.near, self.calls, self.elements = [], 0, 0

    def find(self, distance: torch.Tensor) -> list[int]:
        """The changed elements of this call."""
        flat = distance.detach().abs().flatten()
        self.near += [
            (flat[i].item(), self.calls, i)
            for i in (flat < NEAR).nonzero().flatten().tolist()
        ]
        self.elements += len(flat)
        self.calls += 1
        return [i for call, i in self.changed if call == self.calls - 1]


class Relu(Corner):
    def forward(self, x):
        passes = x.detach() > 0
        for i in self.find(x):
            passes.view(-1)[i] ^= True
        return x * passes


class MaxPool(Corner):
    def __init__(self, pool: nn.MaxPool2d):
        super().__init__()
        assert pool.padding == 0 and pool.dilation == 1 and not pool.ceil_mode
        self.size, self.stride = pool.kernel_size, pool.stride

    def forward(self, x):
        windows = x.unfold(2, self.size, self.stride)
        windows = windows.unfold(3, self.size, self.stride).flatten(4)
        top, places = windows.detach().topk(2, dim=4)
        chosen = windows.detach().argmax(4)  # the first of equal ones
        # Where both are zeros of a ReLU, no gradient goes on from either.
        distance = torch.where(top[..., 0] > 0, top[..., 0] - top[..., 1], torch.inf)
        for i in self.find(distance):
            chosen.view(-1)[i] = places.view(-1, 2)[i, 1]
        return windows.gather(4, chosen[..., None])[..., 0]


def replace_corners(module: nn.Module, found: list[Corner]) -> list[Corner]:
    for name, part in module.named_children():
        if isinstance(part, nn.ReLU):
            found.append(Relu())
        elif isinstance(part, nn.MaxPool2d):
            found.append(MaxPool(part))
        else:
            replace_corners(part, found)
            continue
        setattr(module, name, found[-1])
    return found


def main() -> int:
    folder, name, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(1)
    family = next(each for each in FAMILIES if each.name == name)
    family = dataclasses.replace(family, seed=seed)
    module, inputs = build(family)
    ours = load_file(folder / name / "gradients.safetensors")
    corners = replace_corners(module, [])
    model = ByName(module.double())

    def compare() -> tuple[dict, float]:
        for corner in corners:
            corner.begin()
        theirs = accumulate_family(model, inputs, family)
        error = sum(
            (ours[n].double().reshape(b.shape) - b).square().sum().item()
            for n, b in theirs.items()
            if n in ours and ours[n].numel() == b.numel()
        )
        return compare_gradients(module, ours, theirs), error**0.5

    worst, error = compare()
    print(f"as it is: {worst['gradient']:.1e} of {worst['of']}")
    for corner in reversed(corners):
        for distance, call, i in sorted(corner.near):
            corner.changed.add((call, i))
            now, left = compare()
            if left < BETTER * error:
                worst, error = now, left
                print(
                    f"{type(corner).__name__}, {corner.elements:,} elements, number {i} "
                    f"of microbatch {call}, {distance:.1e} from its corner: "
                    f"{worst['gradient']:.1e} of {worst['of']}",
                    flush=True,
                )
            else:
                corner.changed.discard((call, i))
    changed = sum(len(corner.changed) for corner in corners)
    of = sum(corner.elements for corner in corners)
    print(f"with {changed} of {of:,} elements changed: {worst['gradient']:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
