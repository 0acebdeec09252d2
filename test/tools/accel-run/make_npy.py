# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an array of one repeated number with an odd one in it: make_npy.py FILE DTYPE SHAPE [VALUE [INDEX=VALUE]...]

DTYPE is NumPy's (<f4, <i8), SHAPE like 5x32, INDEX counts elements; without VALUE the array is zero.
"""

import math
import pathlib
import struct
import sys


def main():
    path, dtype, shape, *values = sys.argv[1:]
    sizes = [int(size) for size in shape.split("x")]
    number = float if dtype[1] == "f" else int
    elements = [number(values[0]) if values else 0] * math.prod(sizes)
    for change in values[1:]:
        index, value = change.split("=")
        elements[int(index)] = number(value)
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({', '.join(map(str, sizes))},), }}"
    header = text.ljust(-(len(text) + 11) % 64 + len(text)) + "\n"
    code = {"<f2": "e", "<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|u1": "B"}[dtype]
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                                   + struct.pack(f"<{len(elements)}{code}", *elements))


if __name__ == "__main__":
    main()
