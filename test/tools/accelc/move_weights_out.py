# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves the weights of an ONNX file into a file of external data, at odd offsets.

usage: move_weights_out.py MODEL OUT DATA

DATA is relative to OUT's folder. Integer constants and what is smaller than 64 bytes stay inside.
"""

import pathlib
import sys

MODEL_GRAPH, GRAPH_INITIALIZER = 7, 5
TENSOR_TYPE, TENSOR_RAW, TENSOR_EXTERNAL, TENSOR_LOCATION = 2, 9, 13, 14
FLOAT, EXTERNAL = 1, 1
VARINT, BYTES = 0, 2


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(message):
    """Yields (number, the whole field, its content: bytes, or a number)."""
    at = 0
    while at < len(message):
        start = at
        key, at = read_varint(message, at)
        if key & 7 == VARINT:
            content, at = read_varint(message, at)
        elif key & 7 == BYTES:
            size, at = read_varint(message, at)
            content, at = message[at : at + size], at + size
        else:
            at += 4 if key & 7 == 5 else 8
            content = message[start:at]
        yield key >> 3, message[start:at], content


def field(number, content):
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def entry(key, value):
    return field(TENSOR_EXTERNAL, field(1, key.encode()) + field(2, str(value).encode()))


def move_out(tensor, location, data):
    raw = next((content for number, _, content in fields(tensor) if number == TENSOR_RAW), b"")
    kind = next(content for number, _, content in fields(tensor) if number == TENSOR_TYPE)
    if kind != FLOAT or len(raw) < 64:
        return tensor
    kept = b"".join(whole for number, whole, _ in fields(tensor) if number != TENSOR_RAW)
    data += b"odd"
    kept += entry("location", location) + entry("offset", len(data)) + entry("length", len(raw))
    data += raw
    return kept + varint(TENSOR_LOCATION << 3 | VARINT) + varint(EXTERNAL)


def main():
    model, out, location = sys.argv[1:]
    data = bytearray()

    def in_graph(graph):
        return b"".join(field(number, move_out(content, location, data)) if number == GRAPH_INITIALIZER else whole
                        for number, whole, content in fields(graph))

    result = b"".join(field(number, in_graph(content)) if number == MODEL_GRAPH else whole
                      for number, whole, content in fields(pathlib.Path(model).read_bytes()))
    path = pathlib.Path(out)
    path.write_bytes(result)
    file = path.parent / location
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


main()
