#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_onnx.py BEFORE.onnx AFTER.onnx: what an export changed, on the level of protobuf's fields."""

import sys


def varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def fields(data):
    """(number, contents) of every field of a message, in order."""
    position = 0
    while position < len(data):
        tag, position = varint(data, position)
        if tag & 7 == 2:
            size, position = varint(data, position)
            yield tag >> 3, data[position : position + size]
            position += size
        elif tag & 7 == 5:
            yield tag >> 3, data[position : position + 4]
            position += 4
        else:
            value, position = varint(data, position)
            yield tag >> 3, value


def parts(path):
    with open(path, "rb") as file:
        model = list(fields(file.read()))
    graph = list(fields(dict(model)[7]))
    rest = [field for field in model if field[0] != 7], [field for field in graph if field[0] not in (1, 5)]
    initializers = {dict(fields(contents))[8]: sorted(fields(contents), key=str) for number, contents in graph if number == 5}
    return rest, initializers, [contents for number, contents in graph if number == 1]


def describe(node):
    found = list(fields(node))
    inputs = " ".join(contents.decode() for number, contents in found if number == 1)
    return f"{dict(found)[3].decode()}: {dict(found)[4].decode()} {inputs}"


def main():
    (rest, initializers, nodes), (new_rest, new_initializers, new_nodes) = map(parts, sys.argv[1:])
    assert rest == new_rest, "the model or graph has changed"
    assert len(nodes) == len(new_nodes)
    for name, tensor in initializers.items():
        assert tensor == new_initializers[name], name
    changed = [new for old, new in zip(nodes, new_nodes) if old != new]
    for old, new in zip(nodes, new_nodes):
        without_inputs = [[field for field in fields(node) if field[0] != 1] for node in (old, new)]
        assert without_inputs[0] == without_inputs[1], describe(new)
    added = len(new_initializers) - len(initializers)
    print(f"same but for {added} added initializers, {len(changed)} changed nodes")
    for node in changed:
        print(describe(node))


if __name__ == "__main__":
    main()
