#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random graphs (random_graphs.py) and compares their losses and gradients with the interpreter's, in double, and
those of smooth graphs with central differences.

usage: check_random_graphs.py WORK_DIR FIRST_SEED COUNT [--keep]

Needs accelc, accel-run and accel-opt in PATH and nothing but the standard library. A seed that fails is printed with its
graph; its files stay in WORK_DIR/SEED, those of the others only with --keep.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontends" / "onnx"))

import make_onnx  # noqa: E402
from random_graphs import Graph  # noqa: E402

# Of a gradient in single precision, against its own norm and against that of all gradients.
# A probability near 1 is known to 6e-8, and so is what is left of it.
OWN, ALL, LEAST = 1e-3, 1e-5, 1e-6
STEP = 1e-3  # of central differences
# What a graph of an operator may be refused for: everything else is a fault.
HARMLESS = ("ACCEL-E0701",)  # a graph whose parameters do not reach the loss
MIXES = "ACCEL-E0602"  # a loss in the graph that is no sum over samples: it trains when asked to, and is refused before


class Fault(Exception):
    pass


def run(command, folder, allowed=()):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not any(code in done.stderr for code in allowed):
        raise Fault(f"$ {' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stderr}")
    return done


def single(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def is_whole(numbers):
    return all(isinstance(number, int) for number in numbers)


def write_npy(path, shape, numbers):
    """Whole numbers as int64, others as float."""
    kind, code = ("<i8", "q") if is_whole(numbers) else ("<f4", "f")
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return tensors


def nested(shape, numbers):
    if not shape:
        return repr(numbers[0])
    size = len(numbers) // shape[0]
    return "[" + ", ".join(nested(shape[1:], numbers[i * size : (i + 1) * size]) for i in range(shape[0])) + "]"


def interpret(folder, values):
    """The mean loss and, for each parameter, its gradient."""
    entries = []
    for name, (shape, numbers) in values.items():
        sizes = "".join(f"{size}x" for size in shape)
        kind, convert = ("i64", int) if is_whole(numbers) else ("f32", single)
        entries.append(f"{name} = dense<{nested(shape, [convert(number) for number in numbers])}> : tensor<{sizes}{kind}>")
    (folder / "inputs").write_text("{" + ",\n".join(entries) + "}\n", encoding="utf-8")
    command = ["accel-opt", "--run=microbatch", "--run-inputs=inputs", "--run-digits=17", "--run-print-limit=1000000",
               "step.mlir"]
    found = {}
    for line in run(command, folder).stdout.splitlines():
        kind, name, numbers = re.fullmatch(r"(\w+) @?\S*?([\w.]+): \S+ = (.*)", line).groups()
        found[kind, name] = [float(number) for number in re.findall(r"[^\s\[\],]+", numbers)]
    count = found["state", "target_count"][0]
    # Gradients are added up in a power of two that keeps them normal.
    exponent = re.search(r"accel.gradient_exponent = (-?\d+)", (folder / "step.mlir").read_text(encoding="utf-8"))
    scale = 2.0 ** int(exponent[1]) / count
    # Statistics of batch norms change, too, and are no parameters.
    gradients = {name: [each * scale for each in numbers]
                 for (kind, name), numbers in found.items() if kind == "gradient" and name in values}
    return found["state", "loss_sum"][0] / count, gradients


def norm(numbers):
    return math.sqrt(sum(number * number for number in numbers))


def compare(gradients, expected):
    if gradients.keys() != expected.keys():
        raise Fault(f"expected gradients of {sorted(expected)}, got those of {sorted(gradients)}")
    total = norm([number for numbers in expected.values() for number in numbers])
    for name, numbers in expected.items():
        error = norm([a - b for a, b in zip(gradients[name], numbers, strict=True)])
        if not error <= OWN * norm(numbers) + ALL * total + LEAST:
            raise Fault(f"gradient of {name}: expected {numbers}, got {gradients[name]}, an error of {error:.3g}")


def check_differences(graph, folder, gradients):
    """Along one direction, the steps as single precision makes them."""
    sides, moved = [], {}
    for sign in (1, -1):
        values = dict(graph.values)
        for name in gradients:
            shape, numbers = values[name]
            direction = [math.sin(7 * i + len(name)) for i in range(len(numbers))]
            values[name] = shape, [single(number + sign * STEP * d) for number, d in zip(numbers, direction)]
            moved.setdefault(name, []).append(values[name][1])
        sides.append(interpret(folder, values)[0])
    expected = sum(g * (up - down) for name, numbers in gradients.items()
                   for g, up, down in zip(numbers, *moved[name], strict=True))
    scale = sum(abs(g * (up - down)) for name, numbers in gradients.items()
                for g, up, down in zip(numbers, *moved[name], strict=True))
    difference = sides[0] - sides[1]
    if not abs(difference - expected) <= 1e-3 * scale + 1e-8:
        raise Fault(f"expected a loss that changes by {expected}, as the gradient says, got {difference}")


def check(graph, folder):
    """What became of the graph: checked, or why it is none that trains. Sets its `mixes`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = make_onnx.Model()
    for line in graph.model_text().splitlines():
        model.line(line)
    (folder / "model.onnx").write_bytes(model.bytes())
    for name in ("x", "labels"):
        write_npy(folder / f"{name}.npy", *graph.values[name])
    options = ["model.onnx", "--quiet", f"--objective={graph.objective}", "--dim", f"batch={graph.batch}", f"--global-batch={graph.batch}"]
    compiled = run(["accelc", *options, "-o", "plan"], folder, allowed=(*HARMLESS, MIXES))
    graph.mixes = MIXES in compiled.stderr
    if graph.mixes:
        options.append("--loss-weight=samples")
        compiled = run(["accelc", *options, "-o", "plan"], folder, allowed=HARMLESS)
    if compiled.returncode != 0:
        return "nothing to train"
    run(["accelc", *options, "--compile-to=differentiate", "-o", "step.mlir"], folder)
    loss, gradients = interpret(folder, graph.values)
    if not all(math.isfinite(number) for numbers in [[loss], *gradients.values()] for number in numbers):
        return "not finite"
    # A plan has no field that its loss does not read.
    step = (folder / "step.mlir").read_text(encoding="utf-8")
    data = [f"--data={name}={name}.npy" for i, name in enumerate(("x", "labels")) if len(re.findall(rf"%arg{i}\b", step)) > 1]
    run(["accel-run", "plan", *data, "--steps", "1", "--run-dir", "run", "--shuffle", "off", "--threads", "1",
         "--dump-gradients", "gradients.safetensors", "--quiet"], folder)
    trained = json.loads((folder / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])["loss"]
    if not abs(trained - loss) <= 1e-4 * abs(loss) + 1e-6:
        raise Fault(f"expected a loss of {loss}, got {trained}")
    compare(read_safetensors(folder / "gradients.safetensors"), gradients)
    if graph.smooth:
        check_differences(graph, folder, gradients)
        return "checked by differences too"
    return "checked"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    results, faults = {}, 0
    for seed in range(options.first, options.first + options.count):
        folder = options.work / str(seed)
        try:
            result = check(Graph(seed), folder)
            results[result] = results.get(result, 0) + 1
        except Fault as fault:
            print(f"seed {seed}: {fault}\n{Graph(seed).model_text()}")
            faults += 1
            continue
        if not options.keep:
            shutil.rmtree(folder)
    print(", ".join(f"{number} {result}" for result, number in sorted(results.items())))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
