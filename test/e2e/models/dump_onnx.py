#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an ONNX file as text: nodes, initializers, values, all metadata."""

from __future__ import annotations

import argparse
from collections import Counter

import onnx
from onnx import TensorProto, helper, numpy_helper

STACK_TRACE = "pkg.torch.onnx.stack_trace"


def _shape(value: onnx.ValueInfoProto) -> str:
    tensor = value.type.tensor_type
    dims = [d.dim_param or str(d.dim_value) for d in tensor.shape.dim]
    return f"{TensorProto.DataType.Name(tensor.elem_type)}[{', '.join(dims)}]"


def _print_metadata(properties, indent: str) -> None:
    for entry in properties:
        value = entry.value
        if entry.key == STACK_TRACE:
            frames = [l.strip() for l in value.splitlines() if "File " in l]
            value = (
                f"({len(frames)} frames, innermost) {frames[-1] if frames else value}"
            )
        print(f"{indent}{entry.key} = {value}")


def _text(array) -> str:
    flat = " ".join(f"{v:.6g}" for v in array.reshape(-1)[:8].astype(float))
    return f"{flat}{' ...' if array.size > 8 else ''}"


def _print_initializer(tensor: TensorProto) -> None:
    kind = TensorProto.DataType.Name(tensor.data_type)
    print(f"  {tensor.name}: {kind}{list(tensor.dims)}", end="")
    if tensor.data_location == TensorProto.EXTERNAL:
        print(f"  external {({e.key: e.value for e in tensor.external_data})}")
    else:
        print(f"  = {_text(numpy_helper.to_array(tensor))}")
    _print_metadata(tensor.metadata_props, "      ")


def _print_attribute(attribute: onnx.AttributeProto) -> None:
    if attribute.type == onnx.AttributeProto.TENSOR:
        array = numpy_helper.to_array(attribute.t)
        print(
            f"      @{attribute.name} = {array.dtype}{list(array.shape)} {_text(array)}"
        )
    else:
        print(f"      @{attribute.name} = {helper.get_attribute_value(attribute)}")


def _print_node(node: onnx.NodeProto, index: int) -> None:
    inputs = ", ".join(node.input)
    outputs = ", ".join(node.output)
    print(f"  [{index}] {outputs} = {node.op_type}({inputs})   name={node.name!r}")
    for attribute in node.attribute:
        _print_attribute(attribute)
    _print_metadata(node.metadata_props, "      ")


def dump(model: onnx.ModelProto) -> None:
    graph = model.graph
    opsets = {o.domain or "ai.onnx": o.version for o in model.opset_import}
    print(
        f"producer {model.producer_name} {model.producer_version}, IR {model.ir_version}"
    )
    print(f"opsets {opsets}, functions {[f.name for f in model.functions]}")
    _print_metadata(model.metadata_props, "  ")
    print(f"graph {graph.name!r}")
    _print_metadata(graph.metadata_props, "  ")
    histogram = Counter(node.op_type for node in graph.node)
    print("operators:", ", ".join(f"{k} {v}" for k, v in sorted(histogram.items())))
    for title, values in (("inputs", graph.input), ("outputs", graph.output)):
        print(f"{title}:")
        for value in values:
            print(f"  {value.name}: {_shape(value)}")
            _print_metadata(value.metadata_props, "      ")
    print(f"initializers ({len(graph.initializer)}):")
    for tensor in graph.initializer:
        _print_initializer(tensor)
    print(f"nodes ({len(graph.node)}):")
    for index, node in enumerate(graph.node):
        _print_node(node, index)
    print(f"value_info ({len(graph.value_info)}):")
    for value in graph.value_info:
        print(f"  {value.name}: {_shape(value)}")
        _print_metadata(value.metadata_props, "      ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="an ONNX file; external data need not exist")
    arguments = parser.parse_args()
    dump(onnx.load(arguments.file, load_external_data=False))


if __name__ == "__main__":
    main()
