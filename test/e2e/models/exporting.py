# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports with torch.onnx and makes the files fit to be committed."""

from __future__ import annotations

import ast
import os
import re
import tempfile
from pathlib import Path

import onnx
import torch
from onnx import TensorProto
from torch import nn

HERE = Path(__file__).resolve().parent
SIGNATURE = "pkg.torch.export.ExportedProgram.graph_signature"
FOLDED_FROM = "pkg.onnxscript.optimizer.folded_from"

# What a path in a traceback is replaced by: a user's folder and environment.
_SITE_PACKAGES = re.compile(r'(?<=File ")[^"\n]*/site-packages/')
_USER_SITE = "/home/user/venv/lib/python3.11/site-packages/"
_USER_FOLDER = "/home/user/train/"


def anonymise(text: str) -> str:
    """Rewrites the machine's paths in a traceback, keeping its lines."""
    text = _SITE_PACKAGES.sub(_USER_SITE, text)
    return text.replace(str(HERE) + os.sep, _USER_FOLDER)


def _property_lists(model: onnx.ModelProto):
    yield model.metadata_props
    yield model.graph.metadata_props
    for group in (
        model.graph.node,
        model.graph.value_info,
        model.graph.input,
        model.graph.output,
        model.graph.initializer,
    ):
        for item in group:
            yield item.metadata_props


def _anonymise_model(model: onnx.ModelProto) -> None:
    for properties in _property_lists(model):
        for entry in properties:
            entry.value = anonymise(entry.value)


def _parameters(model: onnx.ModelProto) -> set[str]:
    """Initializers that are parameters, or were folded from one."""
    graph = model.graph
    signature = "".join(
        entry.value for entry in graph.metadata_props if entry.key == SIGNATURE
    )
    own_names = set(re.findall(r"PARAMETER target='([^']+)'", signature))
    names = set(own_names)
    for value in graph.value_info:
        for entry in value.metadata_props:
            folded = entry.key == FOLDED_FROM
            if folded and own_names & set(ast.literal_eval(entry.value)):
                names.add(value.name)
    return names


def _move_parameters_out(model: onnx.ModelProto, location: str) -> bytes:
    """Moves every parameter to external data; constants stay inside."""
    data = bytearray()
    parameters = _parameters(model)
    for tensor in model.graph.initializer:
        if tensor.name not in parameters:
            continue
        raw = onnx.numpy_helper.to_array(tensor).tobytes()
        data += bytes(-len(data) % 64)
        entries = {"location": location, "offset": len(data), "length": len(raw)}
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=str(value))
        data += raw
    return bytes(data)


def finish(
    model: onnx.ModelProto, path: Path, weights: str, data_name: str | None = None
) -> None:
    """Writes `model`; `weights` is "inside", "external" or "absent".

    "absent" is "external" without the data file: what remains of an export
    whose `.onnx.data` is not passed on.  Models that give the same `data_name`
    share that file.
    """
    onnx.checker.check_model(model)
    _anonymise_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    if weights != "inside":
        location = data_name or path.name + ".data"
        data = _move_parameters_out(model, location)
        if weights == "external":
            (path.parent / location).write_bytes(data)
    content = model.SerializeToString(deterministic=True)
    for needle in (b"/tmp/", str(Path.home()).encode(), str(Path.cwd()).encode()):
        if needle in content:
            raise SystemExit(f"{path}: still holds a path of this machine: {needle!r}")
    path.write_bytes(content)


def export_dynamo(
    model: nn.Module,
    path: Path,
    inputs: dict[str, torch.Tensor],
    dims: dict[int, str],
    opset: int | None = None,
    weights: str = "inside",
    data_name: str | None = None,
    outputs: tuple[str, ...] = ("logits",),
    optimize: bool = True,
) -> None:
    """The default exporter, by default with its defaults.

    `inputs` are the keyword arguments of forward(); `dims` names the symbolic
    axes of each of them.
    """
    shapes = {axis: torch.export.Dim(name) for axis, name in dims.items()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        torch.onnx.export(
            model,
            (),
            file,
            kwargs=inputs,
            dynamo=True,
            optimize=optimize,
            opset_version=opset,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_shapes={name: shapes for name in inputs} if shapes else None,
            external_data=False,
            verbose=False,
        )
        finish(onnx.load(file), path, weights, data_name)


def export_torchscript(
    model: nn.Module,
    path: Path,
    inputs: dict[str, torch.Tensor],
    training: bool,
    outputs: tuple[str, ...] = ("logits",),
    folds: bool | None = None,
) -> None:
    """The old exporter: as for training, or in its defaults (eval, folded).

    The first axis of the inputs and of `logits` is symbolic.
    """
    mode = torch.onnx.TrainingMode
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        torch.onnx.export(
            model,
            (),
            file,
            kwargs=inputs,
            dynamo=False,
            opset_version=17,
            training=mode.TRAINING if training else mode.EVAL,
            do_constant_folding=not training if folds is None else folds,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: {0: "batch"} for name in [*inputs, "logits"]},
        )
        finish(onnx.load(file), path, "inside")
