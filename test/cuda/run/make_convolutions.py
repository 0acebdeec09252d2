#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model of convolutions for make_onnx.py, with weights: make_convolutions.py planes|volumes

planes: two dimensions, with strides, dilations, zeros around, windows of one element, bias and a transposed convolution.
volumes: three dimensions of one channel, and then one dimension.
"""

import math
import random
import sys

RANDOM = random.Random(7)


def weights(name, *shape):
    """Values of a deviation that keeps what convolutions make at about 1."""
    deviation = 1 / math.sqrt(math.prod(shape[1:]))
    values = " ".join(f"{RANDOM.gauss(0, deviation):.6f}" for _ in range(math.prod(shape)))
    return f"init {name} float {' '.join(map(str, shape))} = {values}"


def convolution(name, source, filters, channels, kernel, bias=False, operator="Conv", **attributes):
    shape = (filters, channels) if operator == "Conv" else (channels, filters)
    lines = [weights(f"{name}.weight", *shape, *kernel)]
    if bias:
        lines.append(weights(f"{name}.bias", filters))
    own = {"kernel_shape": kernel, **attributes}
    text = " ".join(f"{key}=[{','.join(map(str, value))}]" for key, value in own.items())
    inputs = f"{source} {name}.weight" + (f" {name}.bias" if bias else "")
    return [*lines, f"node {operator} {inputs} -> {name}.sums {text} name={name}", f"node Relu {name}.sums -> {name}"]


def head(source, features, classes):
    return [
        f"node GlobalAveragePool {source} -> pooled",
        "node Flatten pooled -> features",
        weights("head.weight", classes, features),
        weights("head.bias", classes),
        "node Gemm features head.weight head.bias -> logits transB=1",
    ]


def planes():
    return [
        "input x float batch 3 12 10",
        "output logits",
        *convolution("stem", "x", 8, 3, (3, 3), bias=True, pads=(1, 1, 1, 1)),
        *convolution("half", "stem", 16, 8, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1)),
        *convolution("wide", "half", 16, 16, (3, 3), dilations=(2, 2), pads=(2, 2, 2, 2)),
        "node Add half wide -> sum",
        *convolution("skip", "sum", 24, 16, (1, 1), strides=(2, 2)),
        *convolution("up", "skip", 8, 24, (2, 2), operator="ConvTranspose", strides=(2, 2)),
        *convolution("last", "up", 12, 8, (3, 2), bias=True),
        *head("last", 12, 10),
    ]


def volumes():
    return [
        "input x float batch 1 6 7 8",
        "output logits",
        *convolution("volume", "x", 4, 1, (3, 3, 3), bias=True, strides=(1, 2, 1), pads=(1, 1, 1, 1, 1, 1)),
        "init shape int64 3 = 0 16 48",
        "node Reshape volume shape -> row",
        *convolution("line", "row", 12, 16, (5,), strides=(2,), pads=(2, 2)),
        *head("line", 12, 10),
    ]


print("\n".join({"planes": planes, "volumes": volumes}[sys.argv[1]]()))
