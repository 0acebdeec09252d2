#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an exported model in ONNX Runtime and compares the next step's loss.

After the 20 steps of a golden, `accel-run --export trained.onnx` writes the
trained model; the loss of step 21 computed from that file must be the golden's
`next_loss`, or the loss that accel-run itself reports for step 21:

    python check_export.py trained.onnx gpt2
    python check_export.py trained.onnx gpt2 --loss 4.951234
    python check_export.py gpt2/model.onnx gpt2 --step 1     # the export itself

With --record, the loss goes into onnxruntime.json, which the tests compare with.
With --input, names and shapes of initializers and of inputs and outputs are
compared too: those of the input model and the re-created ones, nothing else.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import datasets
import numpy as np
import onnx
import onnxruntime
from exporting import HERE
from training import IGNORED, Data

TOLERANCE = 1e-5


def load_data(folder: Path, golden: dict) -> Data:
    files = golden["data"]
    if "" in files:
        return datasets.load_tokens(folder / files[""], golden["dims"]["seq"])
    if "labels" not in files:
        return datasets.load_shifted(folder / files["input_ids"])
    (inputs,) = (file for name, file in files.items() if name != "labels")
    return datasets.load_arrays(folder / inputs, folder / files["labels"])


def mean_loss(session, data: Data, rows: list[int], microbatch: int) -> float:
    """Mean over all valid targets of the batch, in double, by microbatches."""
    (graph_input,) = session.get_inputs()
    total, count = 0.0, 0
    for start in range(0, len(rows), microbatch):
        part = rows[start : start + microbatch]
        padded = part + part[:1] * (microbatch - len(part))
        (logits,) = session.run(None, {graph_input.name: data.inputs[padded]})
        logits = logits[: len(part)].astype(np.float64)
        logits = logits.reshape(-1, logits.shape[-1])
        targets = data.targets[part].reshape(-1)
        valid = np.flatnonzero(targets != IGNORED)
        logits = logits - logits.max(axis=-1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        total -= logs[valid, targets[valid]].sum()
        count += len(valid)
    return float(total / count)


def _signature(path: Path) -> dict[str, tuple]:
    graph = onnx.load(path, load_external_data=False).graph
    entries = {f"initializer {t.name}": tuple(t.dims) for t in graph.initializer}
    for kind, values in (("input", graph.input), ("output", graph.output)):
        for value in values:
            dims = value.type.tensor_type.shape.dim
            shape = tuple(d.dim_param or d.dim_value for d in dims)
            entries[f"{kind} {value.name}"] = shape
    return entries


def check_signature(exported: Path, original: Path) -> bool:
    ours, theirs = _signature(exported), _signature(original)
    good = True
    for name, shape in theirs.items():
        if ours.get(name) != shape:
            good = False
            print(f"{name}: {ours.get(name, 'missing')}, expected {shape}")
    for name in sorted(set(ours) - set(theirs)):
        print(f"new: {name} {ours[name]}")
    return good


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="the exported ONNX file")
    parser.add_argument("golden", help="name of the golden's folder")
    parser.add_argument("--variant", help="use golden-VARIANT.json")
    parser.add_argument("--step", type=int, help="from 1; default: after the last")
    parser.add_argument("--loss", type=float, help="expected instead of the golden's")
    parser.add_argument("--input", type=Path, help="the model that was compiled")
    parser.add_argument("--record", action="store_true", help="into onnxruntime.json")
    return parser.parse_args()


def record(name: str, loss: float) -> None:
    path = HERE / "onnxruntime.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[name] = round(loss, 8)
    path.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


def main() -> int:
    arguments = parse_arguments()
    folder = HERE / arguments.golden
    suffix = f"-{arguments.variant}" if arguments.variant else ""
    golden = json.loads((folder / f"golden{suffix}.json").read_text())
    losses = golden["loss"] + [golden["next_loss"]]
    step = arguments.step or len(losses)
    expected = losses[step - 1] if arguments.loss is None else arguments.loss

    data = load_data(folder, golden)
    batch = golden["global_batch"]
    rows = [((step - 1) * batch + i) % len(data.inputs) for i in range(batch)]
    session = onnxruntime.InferenceSession(
        arguments.model, providers=["CPUExecutionProvider"]
    )
    loss = mean_loss(session, data, rows, golden["dims"]["batch"])
    good = abs(loss - expected) <= TOLERANCE
    print(f"step {step}: loss {loss:.7f}, expected {expected:.7f}: {good=}")
    if arguments.record:
        record(arguments.golden, loss)
    if arguments.input:
        good = check_signature(arguments.model, arguments.input) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
