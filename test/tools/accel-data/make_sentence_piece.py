# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small unigram SentencePiece model: make_sentence_piece.py FILE [--identity] [--no-end] [--large] [--damaged] [--wild]

Its pieces are a to z with and without the mark of a space, the mark alone, a line end, and two words. --identity leaves white
space as it is, otherwise runs of it are one space; --no-end leaves out the end of a sentence; --large adds 65,536 pieces,
--damaged one that the library cannot take. --wild gives
it a table of characters that leads outside of itself.
"""

import pathlib
import struct
import sys

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL = 1, 2, 3


def number(field, value):
    return bytes(varint(field << 3)) + bytes(varint(value))


def data(field, value):
    return bytes(varint(field << 3 | 2)) + bytes(varint(len(value))) + value


def varint(value):
    while value > 127:
        yield value & 127 | 128
        value >>= 7
    yield value


def piece(text, score, kind):
    return data(1, data(1, text.encode()) + bytes([2 << 3 | 5]) + struct.pack("<f", score) + number(3, kind))


def main():
    path, *options = sys.argv[1:]
    pieces = [("<unk>", 0, UNKNOWN)]
    if "--no-end" not in options:
        pieces += [("</s>", 0, CONTROL)]
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces += [(text, -10, NORMAL) for text in ["\n", SPACE, *letters, *(SPACE + letter for letter in letters)]]
    pieces += [(SPACE + "to", -5, NORMAL), (SPACE + "be", -5, NORMAL)]
    if "--large" in options:
        pieces += [(f"unused{i}", -20, NORMAL) for i in range(65536)]
    if "--damaged" in options:
        pieces += [("\0", -10, NORMAL)]
    keep = 0 if "--identity" in options else 1
    table = struct.pack("<I256I", 1024, *[0xfffffe00 >> 1] * 256) + b"a\0" if "--wild" in options else b""
    model = b"".join(piece(*p) for p in pieces) + data(2, number(3, 1)) + data(3, data(2, table) + number(3, 1) + number(4, keep))
    pathlib.Path(path).write_bytes(model)


if __name__ == "__main__":
    main()
