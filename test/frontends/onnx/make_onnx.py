#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an ONNX file from a few lines of text: make_onnx.py MODEL.txt MODEL.onnx

    ir 10                                   # default 10
    producer pytorch 2.14.1                 # what wrote the file; its version may be missing
    opset 20                                # default 20; `opset 1 my.domain` for others
    input x float batch 4                   # name, type, dimensions: sizes or symbols, ? for neither
    output y
    init w float 4 3 = 0.5                  # values, the last one repeated
    init w float 4 3 external w.bin 0 48    # location, offset, length (the last two may be missing)
    init w float 4 3 raw 12                 # so many zero bytes as raw data
    init w float 4 3 both 0.5               # raw data and typed data
    node MatMul x w -> y transA=1 name=a    # _ is an absent input; DOMAIN:OP for other domains
    node Gemm x w -> y alpha=2!7            # an attribute that claims another type; 0: none
    meta pkg.torch.onnx.fx_node=...         # metadata of the last node, up to the end of the line
    value w pkg.key=...                     # metadata of a value
    graph pkg.key=first\\nsecond            # metadata of the graph
    function my.domain:F a b -> c k         # what follows up to `end` is its body; k is an attribute
    node Add a b -> c axis=@k
    opset 18                                # of the function; default: the model's
    end
    body again                              # likewise a graph with inputs and outputs of its own, used as body={again}
    end

Only Python's library is used; the encoding is protobuf's, by hand.
"""

import re
import shlex
import struct
import sys

TYPES = {"float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "string": 8, "bool": 9, "float16": 10, "double": 11, "uint64": 13, "bfloat16": 16}
FORMATS = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "float": "f", "int32": "i", "int64": "q", "bool": "?", "double": "d"}


BODIES = {}  # graphs that are attributes, by name


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field, value):
    return varint(field << 3) + varint(value)


def message(field, contents):
    if isinstance(contents, str):
        contents = contents.encode()
    return varint(field << 3 | 2) + varint(len(contents)) + contents


def entry(field, key, value):
    return message(field, message(1, key) + message(2, value.replace("\\n", "\n")))


def attribute_value(value):
    """The fields of a value, and its type."""
    if value.startswith("@"):
        return message(21, value[1:]), 2
    if value.startswith("{"):
        return message(6, BODIES[value.strip("{}")]), 5
    if value.startswith("["):
        items = [item for item in value.strip("[]").split(",") if item]
        if any(re.match("[A-Za-z]", item) and item not in ("inf", "nan") for item in items):
            return b"".join(message(9, item) for item in items), 8
        if any("." in item or "inf" in item for item in items):
            return b"".join(varint(7 << 3 | 5) + struct.pack("<f", float(item)) for item in items), 6
        numbers = [int(item) for item in items]
        return b"".join(integer(8, number) for number in numbers), 7
    if re.fullmatch(r"-?\d+", value):
        return integer(3, int(value)), 2
    if re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", value):
        return varint(2 << 3 | 5) + struct.pack("<f", float(value)), 1
    return message(4, value), 3


def attribute(text):
    name, value = text.split("=", 1)
    claimed = re.fullmatch(r"(.*)!(\d+)", value)
    fields, kind = attribute_value(claimed[1] if claimed else value)
    kind = int(claimed[2]) if claimed else kind
    return message(5, message(1, name) + fields + (integer(20, kind) if kind else b""))


def value_type(kind, dims):
    shape = b""
    for dim in dims:
        body = b"" if dim == "?" else integer(1, int(dim)) if re.fullmatch(r"-?\d+", dim) else message(2, dim)
        shape += message(1, body)
    return message(2, message(1, integer(1, TYPES[kind]) + message(2, shape)))


def tensor(words):
    name, kind = words[0], words[1]
    dims, rest = [], words[2:]
    while rest and re.fullmatch(r"-?\d+", rest[0]):
        dims.append(int(rest.pop(0)))
    out = b"".join(integer(1, dim) for dim in dims) + integer(2, TYPES[kind]) + message(8, name)
    if not rest:
        return out
    how = rest.pop(0)
    if how == "external":
        for key, value in zip(("location", "offset", "length"), rest):
            out += entry(13, key, value)
        return out + integer(14, 1)
    if how == "raw":
        return out + message(9, bytes(int(rest[0])))
    if how == "both":
        return out + message(9, bytes(4)) + varint(4 << 3 | 5) + struct.pack("<f", float(rest[0]))
    count = 1
    for dim in dims:
        count *= dim
    number = float if kind in ("float", "double") else int
    values = [number(item) for item in rest][:count]
    values += [values[-1]] * (count - len(values)) if values else []
    return out + message(9, b"".join(struct.pack("<" + FORMATS[kind], value) for value in values))


class Node:
    def __init__(self, words):
        arrow = words.index("->")
        domain, _, operator = words[0].rpartition(":")
        self.body = b"".join(message(1, "" if word == "_" else word) for word in words[1:arrow])
        for word in words[arrow + 1 :]:
            if word.startswith("name="):
                self.body += message(3, word[5:])
            elif "=" in word:
                self.body += attribute(word)
            else:
                self.body += message(2, "" if word == "_" else word)
        self.body += message(4, operator) + (message(7, domain) if domain else b"")


class Model:
    def __init__(self):
        self.ir, self.opset, self.opsets, self.graph, self.functions = 10, 20, [], message(2, "g"), []
        self.producer = b""
        self.nodes, self.function, self.function_opset, self.outer = [], None, 0, None

    def flush(self):
        body = b"".join(message(1 if self.function is None else 7, node.body) for node in self.nodes)
        self.nodes = []
        if self.function is None:
            self.graph += body
        else:
            self.function += body

    def line(self, line):
        words = shlex.split(line)
        keyword, rest = words[0], words[1:]
        if keyword == "ir":
            self.ir = int(rest[0])
        elif keyword == "producer":
            self.producer = b"".join(message(field, word) for field, word in enumerate(rest, 2))
        elif keyword == "opset" and self.function is not None:
            self.function_opset = int(rest[0])
        elif keyword == "opset":
            self.opset = int(rest[0]) if len(rest) == 1 else self.opset
            self.opsets += [message(1, rest[1]) + integer(2, int(rest[0]))] if len(rest) > 1 else []
        elif keyword == "input":
            self.graph += message(11, message(1, rest[0]) + value_type(rest[1], rest[2:]))
        elif keyword == "output":
            self.graph += message(12, message(1, rest[0]))
        elif keyword == "init":
            self.graph += message(5, tensor(rest))
        elif keyword == "node":
            self.nodes.append(Node(rest))
        elif keyword == "meta":
            self.nodes[-1].body += entry(9, *line.split(None, 1)[1].split("=", 1))
        elif keyword == "value":
            name, text = line.split(None, 2)[1:]
            self.graph += message(13, message(1, name) + entry(4, *text.split("=", 1)))
        elif keyword == "graph":
            self.graph += entry(16, *line.split(None, 1)[1].split("=", 1))
        elif keyword == "function":
            self.flush()
            arrow = rest.index("->")
            domain, _, name = rest[0].rpartition(":")
            self.function, self.function_opset = message(1, name) + message(10, domain), self.opset
            self.function += b"".join(message(4, word) for word in rest[1:arrow])
            self.function += message(5, rest[arrow + 1]) + b"".join(message(6, word) for word in rest[arrow + 2 :])
        elif keyword == "body":
            self.flush()
            self.outer, self.graph = (rest[0], self.graph), message(2, rest[0])
        elif keyword == "end" and self.outer:
            self.flush()
            name, outer = self.outer
            BODIES[name], self.graph, self.outer = self.graph, outer, None
        elif keyword == "end":
            self.flush()
            self.functions.append((self.function, self.function_opset))
            self.function = None
        else:
            sys.exit(f"unknown line: {line}")

    def bytes(self):
        self.flush()

        def imports(field, opset):
            return b"".join(message(field, each) for each in [message(1, "") + integer(2, opset), *self.opsets])

        functions = b"".join(message(25, function + imports(9, opset)) for function, opset in self.functions)
        return integer(1, self.ir) + self.producer + message(7, self.graph) + imports(8, self.opset) + functions


def main():
    model = Model()
    with open(sys.argv[1], encoding="utf-8") as text:
        for line in text:
            line = line.strip()
            if line and not line.startswith("#"):
                model.line(line)
    with open(sys.argv[2], "wb") as file:
        file.write(model.bytes())


if __name__ == "__main__":
    main()
