#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains ONNX's cases for one step and compares the gradients with the interpreter's: check_training.py WORK_DIR [NAME ...]

A case's inputs of f32 become parameters, its outputs times numbers that look random the loss; so gradients go the whole way of
a training step, which test/onnx's own program does not compile: accumulation, buckets, export. Without names all cases of the manifest whose
gradients are right are tried, but those that expand an operator into others.

Needs the package onnx, accelc, accel-run and accel-opt in PATH, and the cases in build/release. A fault is printed, and its files stay in
WORK_DIR/CASE. Run by hand, a quarter of a second for each case. One fault is none: each tanh of test_simple_rnn_bidirectional
is 1 but for 1e-7, of which f32 leaves one digit.
"""

import math
import pathlib
import re
import shutil
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test/compiler"))

from check_random_graphs import Fault, compare, interpret, read_safetensors, run  # noqa: E402

CASES = ROOT / "build/release/test/onnx/cases"
DATA = "data_of_step"  # a loss needs an input with a batch; its mean, 1, is a factor
# The loss is a sum over what is no sample.
OPTIONS = ["--quiet", "--objective=output:loss_of_step", "--loss-weight=samples", "--dim=batch=1", "--global-batch=1"]
HARMLESS = ("ACCEL-E0701",)  # nothing that trains reaches the loss


class Skipped(Exception):
    pass


def read_array(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def make_cotangent(begin, shape):
    count = math.prod(shape)
    value = numpy.sin(12.9898 * numpy.arange(begin + 1, begin + count + 1)) * 43758.5453
    value -= numpy.floor(value)
    return numpy.where(value < 0.5, value - 1, value).astype(numpy.float32).reshape(shape)


def add_constant(graph, name, array, first=False):
    node = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(numpy.ascontiguousarray(array)))
    graph.node.insert(0 if first else len(graph.node), node)


def rename(graph):
    """Gives values that older exporters number the names that accel-opt's file of inputs may have."""
    for value in [*graph.input, *graph.output, *graph.initializer]:
        value.name = "v" + re.sub(r"\W", "_", value.name)
    for node in graph.node:
        node.input[:] = ["v" + re.sub(r"\W", "_", name) if name else "" for name in node.input]
        node.output[:] = ["v" + re.sub(r"\W", "_", name) if name else "" for name in node.output]


def take_inputs(graph, data):
    """Makes inputs parameters or constants; the parameters' shapes and numbers by name, weights included."""
    constants = {tensor.name for tensor in graph.initializer}
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values = {name: (list(array.shape), array.ravel().tolist()) for name, array in weights.items() if array.dtype == numpy.float32}
    for index, declared in enumerate([value for value in graph.input if value.name not in constants]):
        array = read_array(data / f"input_{index}.pb")
        if array.dtype == numpy.float32 and array.size > 1:
            values[declared.name] = list(array.shape), array.ravel().tolist()
            graph.initializer.append(numpy_helper.from_array(numpy.ascontiguousarray(array), declared.name))
        elif array.dtype == numpy.float64:
            raise Skipped("f64 goes in")
        else:
            add_constant(graph, declared.name, array, first=True)
    if not values:
        raise Skipped("no f32 goes in")
    del graph.input[:]
    return values


def add_loss(graph, data):
    terms, begin = [DATA + "_mean"], 0
    for index, output in enumerate(graph.output):
        array = read_array(data / f"output_{index}.pb")
        if array.dtype != numpy.float32:
            continue
        if not numpy.isfinite(array).all():
            raise Skipped("an output is not finite")
        add_constant(graph, f"cotangent{index}", make_cotangent(begin, array.shape))
        begin += array.size
        graph.node.append(helper.make_node("Mul", [output.name, f"cotangent{index}"], [f"product{index}"]))
        graph.node.append(helper.make_node("ReduceSum", [f"product{index}"], [f"sum{index}"], keepdims=0))
        terms.append(f"sum{index}")
    if len(terms) == 1:
        raise Skipped("no f32 comes out")
    graph.node.append(helper.make_node("ReduceMean", [DATA], [terms[0]], keepdims=0))
    graph.node.append(helper.make_node("Sum", terms[1:], ["sum_of_step"]))
    graph.node.append(helper.make_node("Mul", ["sum_of_step", terms[0]], ["loss_of_step"]))
    graph.input.append(helper.make_tensor_value_info(DATA, TensorProto.FLOAT, ["batch", 1]))
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("loss_of_step", TensorProto.FLOAT, []))


def check(name, folder):
    """What became of the case."""
    model = onnx.load(CASES / name / "model.onnx")
    data = CASES / name / "test_data_set_0"
    if not any(attribute.HasField("g") for node in model.graph.node for attribute in node.attribute):
        rename(model.graph)
    values = take_inputs(model.graph, data)
    add_loss(model.graph, data)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    numpy.save(folder / "data.npy", numpy.ones((1, 1), numpy.float32))
    if run(["accelc", "model.onnx", *OPTIONS, "-o", "plan"], folder, allowed=HARMLESS).returncode != 0:
        raise Skipped("nothing to train")
    run(["accelc", "model.onnx", *OPTIONS, "--compile-to=differentiate", "-o", "step.mlir"], folder)
    # accel-opt's attributes have no infinities.
    if not all(math.isfinite(number) for _, numbers in values.values() for number in numbers):
        raise Skipped("an input is not finite")
    # Class weights, for example, are constants.
    read = set(re.findall(r'accel.parameter @"?([^" ]+)"? :', (folder / "step.mlir").read_text(encoding="utf-8")))
    values = {key: value for key, value in values.items() if key in read}
    values[DATA] = [1, 1], [1.0]
    _, gradients = interpret(folder, values)
    if not all(math.isfinite(number) for numbers in gradients.values() for number in numbers):
        raise Skipped("a gradient is not finite")
    run(["accel-run", "plan", f"--data={DATA}=data.npy", "--steps=1", "--run-dir=run", "--shuffle=off", "--threads=1",
         "--dump-gradients=gradients.safetensors", "--quiet"], folder)
    found = read_safetensors(folder / "gradients.safetensors")
    # A parameter that an Identity repeats has the name of the copy.
    compare({key: numbers for key, numbers in found.items() if key in values}, gradients)
    return f"{len(gradients)} gradients right"


def list_cases():
    lines = (ROOT / "test/onnx/manifest.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split()[0] for line in lines if "gradient right" in line]
    return [name for name in names if not re.search("_expanded|light/", name)]


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    faults, right = 0, 0
    for name in arguments[1:] or list_cases():
        folder = pathlib.Path(arguments[0]) / name.replace("/", "_")
        try:
            print(f"{name}: {check(name, folder)}", flush=True)
            right += 1
        except Skipped as why:
            print(f"{name}: not tried, {why}", flush=True)
        except Fault as fault:
            print(f"{name}: FAULT {fault}", flush=True)
            faults += 1
            continue
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{right} right, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
