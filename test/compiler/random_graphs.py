#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs of all operators that the importer knows, as the text that make_onnx.py reads.

    random_graphs.py SEED                  prints the graph of that seed

A graph is a function of its seed alone. Sizes of 0 and 1, odd broadcasts and ties are frequent. `Graph.values` has the
numbers of inputs, targets and parameters. Its `objective` is the squared error of the output, or a loss that is in the graph:
the output then. A graph is *smooth* if its loss has a derivative everywhere: its numbers have no
ties and no operator has a kink, so that central differences give its gradient.
"""

import functools
import math
import random
import sys

import random_operators

SIZES = (1, 1, 2, 3, 4, 5, 7)
SMOOTH = ("Tanh", "Sigmoid", "Sin", "Cos", "Erf", "Neg", "Identity", "Gelu")
KINKED = ("Relu", "Abs")


class Value:
    """A float tensor: its name and shape. `known`: it depends on constants only."""

    def __init__(self, name, shape, known=False):
        self.name, self.shape, self.known = name, tuple(shape), known

    @property
    def rank(self):
        return len(self.shape)


def count(shape):
    return math.prod(shape)


def broadcast(*shapes):
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*padded))


class Graph:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.smooth = self.random.random() < 0.5
        self.opset = self.random.choice((18, 20, 21, 23, 23))
        self.batch = self.random.choice((1, 2, 3, 5))
        self.lines, self.values, self.parameters, self.names = [], {}, [], 0
        self.operators = set()
        self.pool = [self.add_input()]
        for _ in range(self.random.randint(4, 9)):
            self.grow()
        self.finish()

    # Building blocks.

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def number(self):
        if self.smooth:
            return self.random.gauss(0, 1)
        return self.random.choice((-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0))

    def numbers(self, shape):
        return [self.number() for _ in range(count(shape))]

    def node(self, operator, inputs, shape, known=None, **attributes):
        name = self.name()
        self.emit(operator, inputs, [name], **attributes)
        known = all(value.known for value in inputs if isinstance(value, Value)) if known is None else known
        return Value(name, shape, known)

    def emit(self, operator, inputs, outputs, **attributes):
        self.operators.add(operator)
        words = [value.name if isinstance(value, Value) else value for value in inputs]
        texts = [f"{key}={self.text(value)}" for key, value in attributes.items()]
        self.lines.append(" ".join(["node", operator, *words, "->", *outputs, *texts]))

    @staticmethod
    def text(value):
        if isinstance(value, (list, tuple)):
            return "[" + ",".join(map(str, value)) + "]"
        return f"{value:.8f}" if isinstance(value, float) else str(value)

    def integers(self, values, shape=None):
        """A constant of integers, a list if no shape is given."""
        name = self.name()
        dims = "".join(f"{size} " for size in ((len(values),) if shape is None else shape))
        data = " ".join(map(str, values))
        self.lines.append(f"init {name} int64 {dims}= {data}")
        return name

    def constant(self, number):
        name = self.name()
        self.lines.append(f"init {name} float = {number}")
        return Value(name, (), True)

    def constants(self, numbers):
        name = self.name()
        self.lines.append(f"init {name} float {len(numbers)} = {' '.join(map(str, numbers))}")
        return Value(name, (len(numbers),), True)

    def add_input(self):
        shape = (self.batch, *(self.random.choice(SIZES) for _ in range(self.random.randint(1, 3))))
        self.lines.append("input x float batch " + " ".join(map(str, shape[1:])))
        self.values["x"] = (shape, self.numbers(shape))
        return Value("x", shape)

    def parameter(self, shape):
        name = f"p{len(self.parameters)}"
        numbers = self.numbers(shape)
        data = " ".join(repr(float(f"{number:.6f}")) for number in numbers)
        self.values[name] = (tuple(shape), [float(f"{number:.6f}") for number in numbers])
        self.lines.append(f"init {name} float " + "".join(f"{size} " for size in shape) + f"= {data}")
        self.parameters.append(name)
        return Value(name, shape)

    def pick(self, rank=0):
        fitting = [value for value in self.pool if value.rank >= rank and count(value.shape) > 0]
        return self.random.choice(fitting[-4:] or [self.pool[0]]) if fitting else None

    def partner(self, shape):
        """A parameter, or another value, that broadcasts with `shape`."""
        fitting = [value for value in self.pool if count(value.shape) and self.fits(value.shape, shape)]
        if fitting and self.random.random() < 0.4:
            return self.random.choice(fitting)
        own = [size if self.random.random() < 0.6 else 1 for size in shape]
        own = own[self.random.randint(0, len(own)) if self.random.random() < 0.5 else 0 :]
        if self.random.random() < 0.2:
            own = [self.random.choice((1, 2)), *own] if len(own) == len(shape) else own
        return self.parameter(own or [1])

    broadcast = staticmethod(broadcast)

    @staticmethod
    def fits(left, right):
        return all(a == b or 1 in (a, b) for a, b in zip(reversed(left), reversed(right)))

    # Growth: one more operator, or a few.

    def grow(self):
        makers = [self.unary, self.binary, self.binary, self.matmul, self.reduce, self.shape, self.shape, self.softmax,
                  self.norm, self.gather, self.select, self.slice, self.concat, self.computed, self.guarded, self.split,
                  self.convolve, self.convolve]
        if self.opset >= 23:
            makers += [self.attention, self.rms_norm, self.rotary]
        makers += [functools.partial(maker, self) for maker in random_operators.MAKERS]
        value = self.random.choice(makers)()
        if value is not None and count(value.shape) <= 4096:
            self.pool.append(value)

    def unary(self):
        value = self.pick()
        names = SMOOTH if self.smooth else SMOOTH + KINKED
        operator = self.random.choice([name for name in names if name != "Gelu" or self.opset >= 20])
        attributes = {"approximate": self.random.choice(("none", "tanh"))} if operator == "Gelu" else {}
        return self.node(operator, [value], value.shape, **attributes)

    def binary(self):
        left = self.pick()
        right = self.partner(left.shape)
        names = ["Add", "Sub", "Mul"] + ([] if self.smooth else ["Max", "Min"])
        operands = [left, right] if self.random.random() < 0.7 else [right, left]
        return self.node(self.random.choice(names), operands, broadcast(left.shape, right.shape))

    def guarded(self):
        """Operators that need positive numbers."""
        value = self.pick()
        positive = self.node("Exp", [self.node("Tanh", [value], value.shape)], value.shape)
        operator = self.random.choice(("Log", "Sqrt", "Reciprocal", "Div", "Pow", "Clip", "Dropout"))
        if operator == "Div":
            left = self.pick()
            if not self.fits(left.shape, positive.shape):
                return self.node("Reciprocal", [positive], positive.shape)
            return self.node("Div", [left, positive], broadcast(left.shape, positive.shape))
        if operator == "Pow":
            exponent = self.constant(self.random.choice((2.0, 3.0, 0.5, -1.0, 1.7)))
            return self.node("Pow", [positive, exponent], value.shape)
        if operator == "Clip" and not self.smooth:
            return self.node("Clip", [value, self.constant(-1.0), self.constant(0.5)], value.shape)
        if operator in ("Dropout", "Clip"):
            return self.node("Dropout", [value], value.shape)
        return self.node(operator, [positive], value.shape)

    def matmul(self):
        value = self.pick(1)
        inner = value.shape[-1]
        columns = self.random.choice(SIZES)
        if value.rank == 2 and self.random.random() < 0.5:
            turned = self.random.random() < 0.5
            weight = self.parameter((columns, inner) if turned else (inner, columns))
            bias = self.parameter(self.random.choice(((columns,), (1,), (value.shape[0], columns), (1, columns))))
            return self.node("Gemm", [value, weight, bias], (value.shape[0], columns), transB=int(turned),
                             alpha=self.random.choice((1.0, 0.5)), beta=self.random.choice((1.0, -2.0)))
        if value.rank >= 2 and self.random.random() < 0.3:
            batch = tuple(size if self.random.random() < 0.6 else 1 for size in value.shape[:-2])
            weight = self.parameter((*batch, inner, columns))
            return self.node("MatMul", [value, weight], (*value.shape[:-1], columns))
        if self.random.random() < 0.2:
            return self.node("MatMul", [value, self.parameter((inner,))], value.shape[:-1])
        return self.node("MatMul", [value, self.parameter((inner, columns))], (*value.shape[:-1], columns))

    def reduce(self):
        value = self.pick(1)
        operator = self.random.choice(("ReduceSum", "ReduceMean") if self.smooth else ("ReduceSum", "ReduceMean", "ReduceMax"))
        return self.reduce_by(operator, value)

    def reduce_by(self, operator, value):
        axes = sorted(self.random.sample(range(value.rank), self.random.randint(1, value.rank)))
        keep = self.random.randint(0, 1)
        shape = [1 if axis in axes else size for axis, size in enumerate(value.shape) if keep or axis not in axes]
        written = self.integers([axis - value.rank * self.random.randint(0, 1) for axis in axes])
        return self.node(operator, [value, written], shape, known=value.known, keepdims=keep)

    def softmax(self):
        value = self.pick(1)
        axis = self.random.randrange(value.rank)
        return self.node(self.random.choice(("Softmax", "LogSoftmax")), [value], value.shape, axis=axis - value.rank)

    def norm(self):
        value = self.pick(2)
        if value is None:
            return None
        axis = self.random.randint(1, value.rank - 1)
        if count(value.shape[axis:]) == 1:
            return None
        shape = [size if self.random.random() < 0.8 else 1 for size in value.shape[axis:]]
        inputs = [value, self.parameter(shape)]
        if self.random.random() < 0.7:
            inputs.append(self.parameter(value.shape[axis:]))
        return self.node("LayerNormalization", inputs, value.shape, axis=axis, epsilon=0.1)

    def rms_norm(self):
        value = self.pick(2)
        return value and self.node("RMSNormalization", [value, self.parameter(value.shape[-1:])], value.shape, axis=-1,
                                   epsilon=0.1)

    def rotary(self):
        value = self.pick(1)
        heads, length, width = self.random.choice((1, 2)), self.random.choice((1, 3)), self.random.choice((2, 4))
        weight = self.parameter((count(value.shape[1:]) if value.shape[0] == self.batch else count(value.shape), heads * length * width))
        flat = self.flatten(value)
        states = self.reshape(self.node("MatMul", [flat, weight], (flat.shape[0], heads * length * width)),
                              (flat.shape[0], heads, length, width))
        tables = [self.reshape(self.parameter((length * width // 2,)), (1, length, width // 2)) for _ in range(2)]
        if flat.shape[0] != 1:
            tables = [self.node("Expand", [table, self.integers((flat.shape[0], length, width // 2))],
                                (flat.shape[0], length, width // 2), known=False) for table in tables]
        return self.node("RotaryEmbedding", [states, *tables], states.shape, interleaved=self.random.randint(0, 1))

    def attention(self):
        value = self.pick(1)
        flat = self.flatten(value)
        keys, groups, width = self.random.choice((1, 2)), self.random.choice((1, 2)), self.random.choice((1, 3, 8))
        length, rows = self.random.choice((1, 2, 5)), flat.shape[0]
        parts = []
        for heads in (keys * groups, keys, keys):
            weight = self.parameter((flat.shape[1], heads * length * width))
            product = self.node("MatMul", [flat, weight], (rows, heads * length * width))
            parts.append(self.reshape(product, (rows, heads, length, width)))
        return self.node("Attention", parts, parts[0].shape, is_causal=self.random.randint(0, 1))

    def flatten(self, value):
        batched = value.rank and value.shape[0] == self.batch
        axis = 1 if batched else 0
        shape = (count(value.shape[:axis]), count(value.shape[axis:]))
        return self.node("Flatten", [value], shape, axis=axis)

    def reshape(self, value, shape):
        written = list(shape)
        if self.random.random() < 0.3 and written and count(shape):
            written[self.random.randrange(len(written))] = -1
        return self.node("Reshape", [value, self.integers(written)], shape, known=value.known)

    def shape(self):
        value = self.pick()
        kind = self.random.choice(("Transpose", "Unsqueeze", "Squeeze", "Reshape", "Expand", "Pad", "Trilu", "Cast", "CastLike"))
        if kind == "Transpose" and value.rank:
            order = self.random.sample(range(value.rank), value.rank)
            return self.node(kind, [value], [value.shape[i] for i in order], perm=order)
        if kind == "Unsqueeze" and value.rank < 5:
            axis = self.random.randint(0, value.rank)
            return self.node(kind, [value, self.integers([axis])], (*value.shape[:axis], 1, *value.shape[axis:]), known=value.known)
        if kind == "Squeeze" and 1 in value.shape:
            axis = self.random.choice([axis for axis, size in enumerate(value.shape) if size == 1])
            return self.node(kind, [value, self.integers([axis])], value.shape[:axis] + value.shape[axis + 1 :], known=value.known)
        if kind == "Reshape":
            return self.reshape(value, self.random.choice(((count(value.shape),), (1, *value.shape), (*value.shape, 1))))
        if kind == "Expand" and value.rank < 5:
            shape = broadcast(value.shape, (self.random.choice((1, 2, 3)), *(1 for _ in value.shape)))
            return self.node(kind, [value, self.integers(shape)], shape, known=value.known)
        if kind == "Pad" and value.rank:
            before = [self.random.randint(-1 if size > 2 else 0, 2) for size in value.shape]
            after = [self.random.randint(0, 1) for _ in value.shape]
            shape = [size + a + b for size, a, b in zip(value.shape, before, after)]
            return self.node(kind, [value, self.integers(before + after), self.constant(0.5)], shape, known=value.known)
        if kind == "Trilu" and value.rank >= 2:
            return self.node(kind, [value, self.integers([self.random.randint(-2, 2)], shape=())], value.shape,
                             known=value.known, upper=self.random.randint(0, 1))
        if kind == "CastLike":
            return self.node(kind, [value, self.constant(1.0)], value.shape, known=value.known)
        return self.node("Cast", [value], value.shape, to=1)

    def image(self):
        """Some value as samples, channels and one or two dimensions."""
        value = self.pick()
        samples = self.batch if value.rank and value.shape[0] == self.batch else 1
        shape, rest = [samples], count(value.shape) // samples
        for _ in range(self.random.choice((1, 1, 2))):
            shape.append(self.random.choice([n for n in (1, 2, 3, 4, 6) if rest % n == 0]))
            rest //= shape[-1]
        return self.reshape(value, (*shape, rest))

    def convolve(self):
        """Convolutions and pools, with windows that fit."""
        image = self.image()
        channels, sizes = image.shape[1], image.shape[2:]
        kinds = ["Conv", "Conv", "ConvTranspose", "AveragePool", "GlobalAveragePool"]
        kind = self.random.choice(kinds if self.smooth else [*kinds, "MaxPool", "GlobalMaxPool"])
        if kind.startswith("Global"):
            return self.node(kind, [image], (*image.shape[:2], *(1 for _ in sizes)))
        windows = [self.random.randint(1, min(3, size)) for size in sizes]
        strides = [self.random.choice((1, 1, 2, 3)) for _ in sizes]
        dilations = [2 if "Pool" not in kind and 2 * (k - 1) < size and self.random.random() < 0.3 else 1 for k, size in zip(windows, sizes)]
        pads = [self.random.randint(0, 1) if k > 1 else 0 for k in windows]
        reaches = [(k - 1) * dilation + 1 for k, dilation in zip(windows, dilations)]
        shape = [(size + 2 * pad - reach) // stride + 1 for size, pad, reach, stride in zip(sizes, pads, reaches, strides)]
        common = {"kernel_shape": windows, "strides": strides, "pads": pads + pads}
        if "Pool" in kind:
            counted = {"count_include_pad": self.random.randint(0, 1)} if kind == "AveragePool" else {}
            return self.node(kind, [image], (*image.shape[:2], *shape), **common, **counted)
        groups = self.random.choice([n for n in (1, 1, 2, 3, 4) if channels % n == 0])
        each = self.random.choice((1, 1, 2, 3))
        common.update(dilations=dilations, group=groups)
        bias = [self.parameter((groups * each,))] if self.random.random() < 0.5 else []
        if kind == "Conv":
            weights = self.parameter((groups * each, channels // groups, *windows))
        else:
            weights = self.parameter((channels, each, *windows))
            shape = [stride * (size - 1) + reach - 2 * pad for size, pad, reach, stride in zip(sizes, pads, reaches, strides)]
            if min(shape) < 1:
                return None
        return self.node(kind, [image, weights, *bias], (image.shape[0], groups * each, *shape), known=False, **common)

    def slice(self):
        value = self.pick(1)
        axis = self.random.randrange(value.rank)
        size = value.shape[axis]
        step = self.random.choice((1, 1, 2, -1, -2))
        start, end = sorted((self.random.randint(0, size), self.random.randint(0, size)))
        indices = range(start, end, step) if step > 0 else range(end - 1, start - 1, step)
        first, last = (start, end) if step > 0 else (end - 1, start - 1 if start else -size - 1)
        if step < 0 and end == start:
            return None
        shape = [len(indices) if i == axis else n for i, n in enumerate(value.shape)]
        cut = self.node("Slice", [value, *(self.integers([n]) for n in (first, last, axis, step))], shape, known=value.known)
        if count(shape):
            return cut
        # What is computed of nothing: a sum, or a part of something.
        if self.random.random() < 0.5:
            rest = [n for i, n in enumerate(shape) if i != axis]
            return self.node("Add", [self.node("ReduceSum", [cut, self.integers([axis])], rest, keepdims=0, known=False),
                                     self.parameter([1])], rest or [1])
        return self.node("Concat", [cut, value, cut], value.shape, axis=axis)

    def concat(self):
        value = self.pick(1)
        axis = self.random.randrange(value.rank)
        other = [self.random.choice((1, 2)) if i == axis else size for i, size in enumerate(value.shape)]
        parts = [value, self.parameter(other)] + ([value] if self.random.random() < 0.3 else [])
        self.random.shuffle(parts)
        shape = [sum(part.shape[axis] for part in parts) if i == axis else size for i, size in enumerate(value.shape)]
        return self.node("Concat", parts, shape, axis=axis)

    def split(self):
        value = self.pick(1)
        axis = self.random.randrange(value.rank)
        size = value.shape[axis]
        first = self.random.randint(0, size)
        sizes = [first, size - first]
        names = [self.name(), self.name()]
        self.emit("Split", [value, self.integers(sizes)], names, axis=axis)
        kept = self.random.choice([i for i, part in enumerate(sizes) if part])
        return Value(names[kept], [sizes[kept] if i == axis else n for i, n in enumerate(value.shape)], value.known)

    def gather(self):
        value = self.pick(1)
        axis = self.random.randrange(value.rank)
        size = value.shape[axis]
        rank = self.random.randint(0, 1)
        indices = [self.random.randint(-size, size - 1) for _ in range(self.random.choice((1, 1, 3)) if rank else 1)]
        shape = (*value.shape[:axis], *([len(indices)] if rank else []), *value.shape[axis + 1 :])
        return self.node("Gather", [value, self.integers(indices, None if rank else ())], shape, known=value.known, axis=axis)

    def select(self):
        """Comparisons of known numbers, or where kinks are allowed of any, and a choice by them."""
        value = self.pick()
        other = self.partner(value.shape)
        shape = broadcast(value.shape, other.shape)
        operator = self.random.choice(("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"))
        if self.smooth:
            condition = self.node(operator, [self.index(shape), self.constant(1.0)], shape)
        else:
            condition = self.node(operator, [value, other], shape)
        if self.random.random() < 0.3:
            condition = self.node(self.random.choice(("And", "Or")), [condition, self.node("IsNaN", [value], value.shape)], shape)
        if self.random.random() < 0.3:
            condition = self.node("Not", [condition], shape)
        return self.node("Where", [condition, value, other], shape)

    def index(self, shape):
        """0, 1, 2 ... as floats of that shape, known."""
        zero, one = self.integers([0], shape=()), self.integers([1], shape=())
        counted = self.node("Range", [zero, self.integers([count(shape)], shape=()), one], (count(shape),), known=True)
        number = self.node("Cast", [counted], counted.shape, known=True, to=1)
        return self.node("Reshape", [number, self.integers(shape)], shape, known=True)

    def computed(self):
        """Constants that the graph computes: shapes, running sums, rows of a table."""
        value = self.pick(1)
        kind = self.random.choice(("CumSum", "Shape", "Size", "ConstantOfShape", "GatherND", "Constant"))
        if kind == "CumSum":
            counted = self.index(value.shape)
            number = self.node(kind, [counted, self.integers([value.rank - 1], shape=())], value.shape, known=True,
                               exclusive=self.random.randint(0, 1), reverse=self.random.randint(0, 1))
            return self.node("Mul", [value, self.node("Sin", [number], value.shape)], value.shape)
        if kind == "Constant":
            name = self.name()
            self.emit(kind, [], [name], value_float=0.75)
            return self.node("Mul", [value, name], value.shape)
        if kind == "GatherND":
            table = self.parameter((2, 3, 2))
            rows = self.node(kind, [table, self.integers([0, 0, 1, 0], (2, 2))], (2, 2), known=False)
            return self.node("Add", [self.node("ReduceSum", [rows], (), keepdims=0), value], value.shape)
        name = self.name()
        self.emit("Shape", [value], [name])
        if kind == "ConstantOfShape":
            return self.node("Add", [value, self.node(kind, [name], value.shape, known=True)], value.shape)
        if kind == "Size":
            name = self.name()
            self.emit(kind, [value], [name])
        number = self.node("Cast", [name], (value.rank,) if kind == "Shape" else (), known=True, to=1)
        small = self.node("Tanh", [number], number.shape)
        total = small if kind == "Size" else self.node("ReduceMax", [small], (), keepdims=0)
        return self.node("Mul", [value, total], value.shape)

    # The end: what was made last becomes the output, one row per sample.

    def finish(self):
        parts = []
        for value in self.pool[-3:]:
            if count(value.shape) and value.rank and value.shape[0] == self.batch:
                parts.append(self.reshape(value, (self.batch, count(value.shape) // self.batch)))
            elif count(value.shape):
                total = self.node("ReduceSum", [value], (), keepdims=0) if value.rank else value
                parts.append(self.node("Expand", [total, self.integers((self.batch, 1))], (self.batch, 1), known=False))
        width = sum(part.shape[1] for part in parts)
        joined = parts[0] if len(parts) == 1 else self.node("Concat", parts, (self.batch, width), axis=1)
        bounded = self.node("Tanh", [joined], joined.shape)
        self.objective = self.random.choice(("mse", "mse", "auto"))
        if self.objective == "auto":
            self.cross_entropy(bounded)
            return
        weight = self.parameter((width,))
        output = self.node("Mul", [bounded, weight], bounded.shape)
        self.lines.append(f"output {output.name}")
        self.values["labels"] = (output.shape, [self.random.gauss(0, 1) for _ in range(count(output.shape))])

    def cross_entropy(self, value):
        """A loss of scores, of one place per sample or several; the first label always counts."""
        classes, places = self.random.choice((1, 2, 3, 5)), self.random.choice(((), (), (1,), (4,)))
        wide = (value.shape[1], classes * count(places))
        scores = self.reshape(self.node("MatMul", [value, self.parameter(wide)], (self.batch, wide[1])),
                              (self.batch, classes, *places))
        ignored = self.random.choice((None, -100, -1, classes - 1))
        labels = [self.random.randrange(classes) for _ in range(self.batch * count(places))]
        if ignored is not None:
            labels = [ignored if self.random.random() < 0.3 else label for label in labels]
        if classes > 1 and labels[0] == ignored:
            labels[0] = 0
        elif labels[0] == ignored:
            ignored, labels = None, [0] * len(labels)
        self.lines.append("input labels int64 batch " + " ".join(map(str, places)))
        self.values["labels"] = ((self.batch, *places), labels)
        inputs = [scores, "labels"]
        if self.random.random() < 0.4:
            weights = self.integers([self.random.choice((1, 2, 4)) for _ in range(classes)])
            inputs.append(self.node("Cast", [weights], (classes,), known=True, to=1))
        self.reduction = self.random.choice(("mean", "mean", "sum"))
        attributes = {"reduction": self.reduction} | ({} if ignored is None else {"ignore_index": ignored})
        operator = "SoftmaxCrossEntropyLoss"
        if self.random.random() < 0.4:
            operator = "NegativeLogLikelihoodLoss"
            inputs[0] = self.node("LogSoftmax", [scores], scores.shape, axis=1)
        self.emit(operator, inputs, ["loss"], **attributes)
        self.lines.append("output loss")

    def model_text(self):
        return "\n".join([f"opset {self.opset}", *self.lines]) + "\n"


if __name__ == "__main__":
    print(Graph(int(sys.argv[1])).model_text(), end="")
