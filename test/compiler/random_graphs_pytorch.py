#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains random graphs (random_graphs.py) for a step and compares losses and gradients with PyTorch, in double. By hand:
needs PyTorch, and accelc and accel-run in PATH.

usage: random_graphs_pytorch.py WORK_DIR FIRST_SEED COUNT

Every operator is written here anew as ONNX defines it. Where a gradient is a convention, at ties of maxima, seeds may differ:
`Max`, `Min`, `ReduceMax`, `Clip`, `Relu` and `Abs` of graphs that are not smooth are read as what this project documents.
"""

import pathlib
import shlex
import sys

import torch
import torch.nn.functional as F

import check_random_graphs as check
from random_graphs import Graph

UNARY = {
    "Abs": torch.abs, "Cos": torch.cos, "Erf": torch.erf, "Exp": torch.exp, "Identity": lambda x: x, "Log": torch.log,
    "Neg": torch.neg, "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Sin": torch.sin, "Sqrt": torch.sqrt, "Tanh": torch.tanh,
    "Reciprocal": torch.reciprocal, "IsNaN": torch.isnan, "Not": torch.logical_not, "Dropout": lambda x: x,
}
BINARY = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div, "Pow": torch.pow, "Max": torch.maximum,
    "Min": torch.minimum, "And": torch.logical_and, "Or": torch.logical_or, "Greater": torch.gt, "Less": torch.lt,
    "GreaterOrEqual": torch.ge, "LessOrEqual": torch.le, "Equal": torch.eq, "MatMul": torch.matmul,
}


def ints(tensor):
    return tensor.reshape(-1).tolist()


def slice_(x, start, end, axis, step):
    (start,), (end,), (axis,), (step,) = map(ints, (start, end, axis, step))
    return x.index_select(axis, torch.tensor(range(x.shape[axis])[slice(start, end if end >= -x.shape[axis] else None, step)],
                                             dtype=torch.int64))


def pad(x, counts, number):
    counts, rank = ints(counts), x.dim()
    pairs = [count for axis in reversed(range(rank)) for count in (counts[axis], counts[rank + axis])]
    return F.pad(x, pairs, value=number.item())


def gather(x, indices, axis):
    picked = x.index_select(axis, torch.where(indices < 0, indices + x.shape[axis], indices).reshape(-1))
    return picked.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def reduce(operator, keep, x, axes=None):
    axes = list(range(x.dim())) if axes is None else ints(axes)
    if operator == "ReduceMax":
        return x.amax(axes, keepdim=keep)
    return (x.sum if operator == "ReduceSum" else x.mean)(axes, keepdim=keep) if axes else x


def layer_norm(x, scale, bias, axis, epsilon):
    axes = list(range(axis, x.dim()))
    centred = x - x.mean(axes, keepdim=True)
    normal = centred * torch.rsqrt((centred * centred).mean(axes, keepdim=True) + epsilon)
    return normal * scale + (0 if bias is None else bias)


def rotate(x, cosines, sines, interleaved):
    left, right = (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    cosines, sines = cosines.unsqueeze(1), sines.unsqueeze(1)
    real, imaginary = left * cosines - right * sines, right * cosines + left * sines
    return torch.stack((real, imaginary), -1).flatten(-2) if interleaved else torch.cat((real, imaginary), -1)


def attend(query, key, value, causal):
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    return F.scaled_dot_product_attention(query, key, value, is_causal=bool(causal))


def cumsum(x, axis, exclusive, reverse):
    axis = axis.item()
    x = x.flip(axis) if reverse else x
    total = x.cumsum(axis) - (x if exclusive else 0)
    return total.flip(axis) if reverse else total


def likelihood(x, a):
    classes = x[0].shape[1]
    flat = x[0].movedim(1, -1).reshape(-1, classes)
    return F.nll_loss(flat, x[1].reshape(-1), x[2] if len(x) > 2 else None, ignore_index=a.get("ignore_index", -100),
                      reduction=a["reduction"])


def compute(operator, x, a):
    """The results of one node of inputs `x` and attributes `a`."""
    if operator in UNARY:
        return [UNARY[operator](x[0])]
    if operator in BINARY:
        return [BINARY[operator](x[0], x[1])]
    axis = a.get("axis", 0)
    results = {
        "Attention": lambda: attend(*x, a["is_causal"]),
        "Cast": lambda: x[0].double(),
        "CastLike": lambda: x[0].to(x[1].dtype),
        "Clip": lambda: x[0].clamp(x[1].item(), x[2].item()),
        "Concat": lambda: torch.cat(x, axis),
        "Constant": lambda: torch.tensor(a["value_float"], dtype=torch.float64),
        "ConstantOfShape": lambda: torch.zeros(ints(x[0]), dtype=torch.float64),
        "CumSum": lambda: cumsum(*x, a["exclusive"], a["reverse"]),
        "Expand": lambda: x[0].expand(torch.broadcast_shapes(x[0].shape, ints(x[1]))),
        "Flatten": lambda: x[0].reshape(x[0].shape[:axis].numel(), -1) if x[0].numel() else x[0],
        "Gather": lambda: gather(*x, axis),
        "GatherND": lambda: x[0][tuple(x[1].T)],
        "Gelu": lambda: F.gelu(x[0], approximate=a["approximate"]),
        "Gemm": lambda: a["alpha"] * (x[0] @ (x[1].T if a["transB"] else x[1])) + a["beta"] * x[2],
        "LayerNormalization": lambda: layer_norm(x[0], x[1], x[2] if len(x) > 2 else None, axis, a["epsilon"]),
        "LogSoftmax": lambda: x[0].log_softmax(axis),
        "NegativeLogLikelihoodLoss": lambda: likelihood(x, a),
        "Pad": lambda: pad(*x),
        "RMSNormalization": lambda: x[0] * torch.rsqrt((x[0] * x[0]).mean(-1, keepdim=True) + a["epsilon"]) * x[1],
        "Range": lambda: torch.arange(x[0].item(), x[1].item(), x[2].item()),
        "Reshape": lambda: x[0].reshape(ints(x[1])),
        "RotaryEmbedding": lambda: rotate(*x, a["interleaved"]),
        "Shape": lambda: torch.tensor(x[0].shape),
        "Size": lambda: torch.tensor(x[0].numel()),
        "Slice": lambda: slice_(*x),
        "Softmax": lambda: x[0].softmax(axis),
        "SoftmaxCrossEntropyLoss": lambda: likelihood([x[0].log_softmax(1), *x[1:]], a),
        "Squeeze": lambda: x[0].squeeze(x[1].item()),
        "Transpose": lambda: x[0].permute(a["perm"]),
        "Trilu": lambda: (torch.triu if a["upper"] else torch.tril)(x[0], x[1].item()),
        "Unsqueeze": lambda: x[0].unsqueeze(x[1].item()),
        "Where": lambda: torch.where(*x),
    }
    if operator == "Split":
        return x[0].split(ints(x[1]), axis)
    if operator.startswith("Reduce"):
        return [reduce(operator, bool(a["keepdims"]), *x)]
    return [results[operator]()]


def read_attribute(text):
    name, value = text.split("=", 1)
    if value.startswith("["):
        return name, [int(item) for item in value.strip("[]").split(",")]
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        return name, value


def read_initializer(words):
    name, kind, equals = words[0], words[1], words.index("=")
    shape = [int(size) for size in words[2:equals]]
    number, dtype = (float, torch.float64) if kind == "float" else (int, torch.int64)
    return name, torch.tensor([number(item) for item in words[equals + 1 :]], dtype=dtype).reshape(shape)


def train(graph):
    """Loss and gradients of what is trained: the mean squared error, or the graph's loss, of which a sum is divided by the
    samples where it is one over samples."""
    tensors = {name: (torch.tensor(numbers) if check.is_whole(numbers) else
                      torch.tensor([check.single(number) for number in numbers], dtype=torch.float64)).reshape(shape)
               for name, (shape, numbers) in graph.values.items()}
    for name in graph.parameters:
        tensors[name].requires_grad_(True)
    values, output = dict(tensors), None
    for line in graph.model_text().splitlines():
        keyword, *words = shlex.split(line)
        if keyword == "init" and words[0] not in values:
            name, tensor = read_initializer(words)
            values[name] = tensor
        elif keyword == "output":
            output = values[words[0]]
        elif keyword == "node":
            arrow = words.index("->")
            names = [word for word in words[arrow + 1 :] if "=" not in word]
            attributes = dict(read_attribute(word) for word in words[arrow + 1 :] if "=" in word)
            inputs = [values[name] for name in words[1:arrow]]
            values.update(zip(names, compute(words[0], inputs, attributes)))
    if graph.objective == "mse":
        loss = F.mse_loss(output, tensors["labels"])
    else:
        loss = output / (graph.batch if graph.reduction == "sum" and not graph.mixes else 1)
    loss.backward()
    return loss.item(), {name: tensors[name].grad.reshape(-1).tolist() for name in graph.parameters
                         if tensors[name].grad is not None}


def main():
    work, first, number = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    faults = 0
    for seed in range(first, first + number):
        graph, folder = Graph(seed), work / str(seed)
        try:
            if check.check(graph, folder) not in ("checked", "checked by differences too"):
                continue
            loss, gradients = train(graph)
            trained = check.read_safetensors(folder / "gradients.safetensors")
            expected = {name: gradients.get(name, [0.0] * len(numbers)) for name, numbers in trained.items()}
            check.compare(trained, expected)
            missing = [name for name in gradients if name not in trained and any(gradients[name])]
            if missing:
                raise check.Fault(f"expected gradients of {missing}, got none")
        except check.Fault as fault:
            print(f"seed {seed}{' (smooth)' if graph.smooth else ''}: {fault}\n{graph.model_text()}")
            faults += 1
    print(f"{number} graphs, {faults} differ")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
