# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flips the last bit of a file: flip_last_bit.py FILE."""

import pathlib
import sys

path = pathlib.Path(sys.argv[1])
data = bytearray(path.read_bytes())
data[-1] ^= 1
path.write_bytes(data)
