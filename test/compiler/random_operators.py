# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random_graphs.Graph grows by, beyond the operators of transformers: activations, reductions, operators that move
elements by indices, and those of vision and of sequences.

Each function adds an operator, or a few, to a graph and returns the value; None where the graph has nothing that it fits.
"""

import math


def activation(graph):
    value = graph.pick()
    alpha = graph.random.choice((0.5, 1.0, 1.5))
    smooth = [("Softplus", {}), ("Mish", {}), ("Elu", {}), ("Celu", {"alpha": alpha})]
    kinked = [("Softsign", {}), ("Elu", {"alpha": alpha}), ("Selu", {}), ("HardSwish", {}), ("HardSigmoid", {"alpha": 0.25}),
              ("LeakyRelu", {"alpha": 0.1}), ("ThresholdedRelu", {"alpha": 0.25}), ("Shrink", {"lambd": 0.25, "bias": 0.1})]
    operator, attributes = graph.random.choice(smooth if graph.smooth else smooth + kinked)
    if operator == "Celu":
        attributes = {"alpha": 1.0} if graph.smooth else attributes
    return graph.node(operator, [value], value.shape, **attributes)


def learned_slope(graph):
    value = graph.pick(1)
    if graph.smooth:
        return None
    own = [size if graph.random.random() < 0.5 else 1 for size in value.shape]
    slope = graph.parameter(own[graph.random.randint(0, len(own) - 1) :])
    return graph.node("PRelu", [value, slope], value.shape)


def several(graph):
    value = graph.pick()
    others = [graph.partner(value.shape) for _ in range(graph.random.choice((1, 2)))]
    shape = value.shape
    for other in others:
        if not graph.fits(shape, other.shape):
            return None
        shape = graph.broadcast(shape, other.shape)
    kinds = ["Sum", "Mean"] if graph.smooth else ["Sum", "Mean", "Max", "Min"]
    return graph.node(graph.random.choice(kinds), [value, *others], shape)


def reduction(graph):
    value = graph.pick(1)
    operator = graph.random.choice(("ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceLogSum", "ReduceProd",
                                    *(() if graph.smooth else ("ReduceL1", "ReduceMin"))))
    if operator in ("ReduceLogSum", "ReduceL2"):
        value = graph.node("Exp", [graph.node("Tanh", [value], value.shape)], value.shape)
    return graph.reduce_by(operator, value)


def running_sum(graph):
    value = graph.pick(1)
    axis = graph.random.randrange(value.rank)
    return graph.node("CumSum", [value, graph.integers([axis], shape=())], value.shape, known=value.known,
                      exclusive=graph.random.randint(0, 1), reverse=graph.random.randint(0, 1))


def indices(graph, shape, size, distinct_along=None):
    """A constant of indices below `size`, or from its end; along one dimension no two are the same, where wanted."""
    numbers = [0] * math.prod(shape)
    if distinct_along is None:
        numbers = [graph.random.randint(-size, size - 1) for _ in numbers]
    else:
        inner = math.prod(shape[distinct_along + 1 :])
        for place in range(len(numbers)):
            if place // inner % shape[distinct_along] == 0:
                chosen = graph.random.sample(range(size), shape[distinct_along])
                for i, each in enumerate(chosen):
                    numbers[place + i * inner] = each - size * graph.random.randint(0, 1)
    return graph.integers(numbers, shape)


def gather_elements(graph):
    value = graph.pick(1)
    axis = graph.random.randrange(value.rank)
    shape = [graph.random.choice((1, 2, 4)) if i == axis else graph.random.randint(1, size) for i, size in enumerate(value.shape)]
    return graph.node("GatherElements", [value, indices(graph, shape, value.shape[axis])], shape, known=value.known, axis=axis)


def scatter_elements(graph):
    value = graph.pick(1)
    axis = graph.random.randrange(value.rank)
    kinds = ["none", "add", "mul"] + ([] if graph.smooth else ["max", "min"])
    kind = graph.random.choice(kinds)
    shape = [graph.random.randint(1, size) for size in value.shape]
    written = indices(graph, shape, value.shape[axis], axis if kind == "none" else None)
    updates = graph.parameter(shape)
    attributes = {} if kind == "none" else {"reduction": kind}
    return graph.node("ScatterElements", [value, written, updates], value.shape, known=False, axis=axis, **attributes)


def scatter_rows(graph):
    value = graph.pick(2)
    if value is None:
        return None
    kind = graph.random.choice(("none", "add"))
    rows = graph.random.randint(1, value.shape[0])
    chosen = graph.random.sample(range(value.shape[0]), rows)
    if kind == "add":
        chosen = [graph.random.randrange(value.shape[0]) for _ in chosen]
    places = graph.integers(chosen, (rows, 1))
    attributes = {} if kind == "none" else {"reduction": kind}
    return graph.node("ScatterND", [value, places, graph.parameter((rows, *value.shape[1:]))], value.shape, known=False, **attributes)


def largest(graph):
    value = graph.pick(1)
    axis = graph.random.randrange(value.rank)
    count = graph.random.randint(1, value.shape[axis])
    shape = [count if i == axis else size for i, size in enumerate(value.shape)]
    names = [graph.name(), graph.name()]
    graph.emit("TopK", [value, graph.integers([count])], names, axis=axis, largest=graph.random.randint(0, 1))
    return type(value)(names[0], shape, value.known)


def tile(graph):
    value = graph.pick(1)
    repeats = [graph.random.choice((1, 1, 2, 3)) for _ in value.shape]
    shape = [size * repeat for size, repeat in zip(value.shape, repeats)]
    return graph.node("Tile", [value, graph.integers(repeats)], shape, known=value.known)


def pad(graph):
    value = graph.pick(1)
    mode = graph.random.choice(("edge", "reflect", *(("wrap",) if graph.opset >= 19 else ())))
    most = [min(2, size if mode == "wrap" else size - 1) if mode != "edge" else 2 for size in value.shape]
    before, after = ([graph.random.randint(0, each) for each in most] for _ in range(2))
    shape = [size + a + b for size, a, b in zip(value.shape, before, after)]
    return graph.node("Pad", [value, graph.integers(before + after)], shape, known=value.known, mode=mode)


def einsum(graph):
    value = graph.pick(2)
    if value is None:
        return None
    letters = "abcdefg"[: value.rank]
    columns = graph.random.choice((1, 2, 4))
    kind = graph.random.choice(("columns", "elements", "diagonal"))
    if kind == "columns":
        weight = graph.parameter((columns, value.shape[-1]))
        return graph.node("Einsum", [value, weight], (*value.shape[:-1], columns),
                          equation=f"{letters},z{letters[-1]}->{letters[:-1]}z")
    if kind == "elements":
        weight = graph.parameter((value.shape[-1],))
        return graph.node("Einsum", [value, weight], (*reversed(value.shape[:-1]),),
                          equation=f"{letters},{letters[-1]}->{letters[:-1][::-1]}")
    return graph.node("Einsum", [value, value], (value.shape[-1], *value.shape[:-1]),
                      equation=f"{letters},{letters}->{letters[-1]}{letters[:-1]}")


def normalize_image(graph):
    image = graph.image()
    samples, channels, *sizes = image.shape
    if math.prod(sizes) == 1:
        return None
    kinds = ["InstanceNormalization", "BatchNormalization", "LpNormalization"]
    # Of two numbers it is 1 and -1, or nearly: what compares these would depend on the rounding.
    kinds += ["MeanVarianceNormalization"] if graph.smooth else []
    kind = graph.random.choice([*kinds, "GroupNormalization"] if graph.opset >= 21 else kinds)
    if kind == "MeanVarianceNormalization":
        return graph.node(kind, [image], image.shape, axes=list(range(2, image.rank)))
    if kind == "LpNormalization":
        positive = graph.node("Exp", [graph.node("Tanh", [image], image.shape)], image.shape)
        return graph.node(kind, [positive], image.shape, axis=-1, p=2)
    affine = [graph.parameter((channels,)), graph.parameter((channels,))]
    if kind == "BatchNormalization":
        mean, variance = graph.constants([0.0] * channels), graph.constants([1.0] * channels)
        names = [graph.name() for _ in range(3)]
        graph.emit(kind, [image, *affine, mean, variance], names, epsilon=0.1, training_mode=1)
        return type(image)(names[0], image.shape)
    attributes = {}
    if kind == "GroupNormalization":
        attributes = {"num_groups": graph.random.choice([n for n in (1, 2, 3) if channels % n == 0])}
    return graph.node(kind, [image, *affine], image.shape, epsilon=0.1, **attributes)


def resize(graph):
    image = graph.image()
    factors = [graph.random.choice((1, 2, 3)) for _ in image.shape[2:]]
    sizes = [size * factor for size, factor in zip(image.shape[2:], factors)]
    if math.prod(sizes) == math.prod(image.shape[2:]):
        return None
    mode = graph.random.choice(("nearest", "linear", "cubic"))
    attributes = {"mode": mode, "coordinate_transformation_mode": graph.random.choice(("half_pixel", "asymmetric"))}
    return graph.node("Resize", [image, "_", "_", graph.integers([*image.shape[:2], *sizes])], (*image.shape[:2], *sizes),
                      known=image.known, **attributes)


def rearrange(graph):
    image = graph.image()
    if image.rank != 4:
        return None
    samples, channels, high, wide = image.shape
    if high % 2 == 0 and wide % 2 == 0:
        return graph.node("SpaceToDepth", [image], (samples, channels * 4, high // 2, wide // 2), blocksize=2)
    if channels % 4 == 0:
        return graph.node("DepthToSpace", [image], (samples, channels // 4, high * 2, wide * 2), blocksize=2,
                          mode=graph.random.choice(("DCR", "CRD")))
    return None


def recurrent(graph):
    value = graph.pick(1)
    flat = graph.flatten(value)
    length = graph.random.choice([n for n in (1, 2, 3) if flat.shape[1] % n == 0])
    width, hidden = flat.shape[1] // length, graph.random.choice((1, 2, 3))
    if width > 16:
        return None
    rows = graph.reshape(flat, (flat.shape[0], length, width))
    steps = graph.node("Transpose", [rows], (length, flat.shape[0], width), perm=[1, 0, 2])
    kind, gates = graph.random.choice((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    direction = graph.random.choice(("forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    weights = [graph.parameter((ways, gates * hidden, width)), graph.parameter((ways, gates * hidden, hidden))]
    if graph.random.random() < 0.7:
        weights.append(graph.parameter((ways, 2 * gates * hidden)))
    attributes = {"linear_before_reset": graph.random.randint(0, 1)} if kind == "GRU" else {}
    states = graph.node(kind, [steps, *weights], (length, ways, flat.shape[0], hidden), hidden_size=hidden,
                        direction=direction, **attributes)
    order = [2, 0, 1, 3]
    return graph.node("Transpose", [states], [states.shape[i] for i in order], perm=order)


def sample_grid(graph):
    """Reads an image at places that another value says, within or beside it."""
    image = graph.image()
    samples, channels, *sizes = image.shape
    value = graph.pick(1)
    if value.shape[0] != samples or math.prod(sizes) > 64 or graph.opset < 20:
        return None
    flat = graph.flatten(value)
    if flat.shape[0] != samples:
        return None
    points = graph.random.choice((1, 3))
    weight = graph.parameter((flat.shape[1], points * len(sizes)))
    places = graph.node("Tanh", [graph.node("MatMul", [flat, weight], (samples, points * len(sizes)))],
                        (samples, points * len(sizes)))
    shape = (points, *(1 for _ in sizes[1:]))
    grid = graph.reshape(graph.node("Mul", [places, graph.constant(1.3)], places.shape), (samples, *shape, len(sizes)))
    # Between pixels the others are not smooth.
    mode = "cubic" if graph.smooth else graph.random.choice(("linear", "cubic"))
    padding = "zeros" if graph.smooth else graph.random.choice(("zeros", "border", "reflection"))
    return graph.node("GridSample", [image, grid], (samples, channels, *shape), mode=mode, padding_mode=padding,
                      align_corners=graph.random.randint(0, 1))


def fold(graph):
    """Puts windows of 2 elements back where they overlap."""
    value = graph.pick(2)
    flat = graph.flatten(value)
    if flat.shape[1] % 2 or flat.shape[1] < 4:
        return None
    places = graph.random.choice([n for n in (1, 2, 3) if flat.shape[1] // 2 % n == 0])
    stride = graph.random.choice((1, 2))
    columns = graph.reshape(flat, (flat.shape[0], flat.shape[1] // places, places))
    size, channels = (places - 1) * stride + 2, flat.shape[1] // places // 2
    return graph.node("Col2Im", [columns, graph.integers([size]), graph.integers([2])], (flat.shape[0], channels, size),
                      strides=[stride])


MAKERS = (activation, activation, learned_slope, several, reduction, running_sum, gather_elements, scatter_elements,
          scatter_rows, largest, tile, pad, einsum, normalize_image, resize, rearrange, recurrent, sample_grid,
          fold)
