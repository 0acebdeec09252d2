#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ptxas for tests of the search for launch bounds: it makes of each kernel what the file FAKE_PTXAS_KERNELS says, and appends
to FAKE_PTXAS_LOG how many kernels it was given, and the bounds that they ask for. A kernel that is not listed has 32 registers.

    KERNEL FREE LEAST SHORT    FREE registers without a bound; with one, as many as it leaves; below LEAST it spills, and below
                               SHORT its code is twice as long
"""

import os
import re
import struct
import sys

ENTRY = re.compile(r"^\.visible \.entry (\w+)\((.*?)^\{", re.MULTILINE | re.DOTALL)
BOUND = re.compile(r"^\.minnctapersm (\d+)$", re.MULTILINE)
MOST, PROCESSOR, BLOCK = 255, 65536, 128


def read_kernels():
    with open(os.environ["FAKE_PTXAS_KERNELS"], encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return {name: [int(number) for number in numbers] for name, *numbers in rows}


def make_cubin(sizes):
    """An ELF file with a section `.text.KERNEL` of so many bytes for each kernel."""
    names = b"\0.names\0"
    data = b""
    headers = [bytes(64)]
    for kernel, size in sizes.items():
        headers.append(struct.pack("<IIQQQQIIQQ", len(names), 1, 6, 0, 64 + len(data), size, 0, 0, 1, 0))
        names += f".text.{kernel}\0".encode()
        data += bytes(size)
    headers.append(struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 64 + len(data), len(names), 0, 0, 1, 0))
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    start = 64 + len(data) + len(names)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, start, 0, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return header + data + names + b"".join(headers)


def assemble(kernel, bound, known):
    """Registers, spilled bytes and the code's size."""
    free, least, short = known.get(kernel, (32, 0, 0))
    registers = min(MOST, PROCESSOR // (BLOCK * bound) // 8 * 8) if bound else free
    return registers, 4 * max(0, least - registers), 2048 if registers < short else 1024


def main():
    if sys.argv[1] == "--version":
        print("release 99.0, V99.0.1")
        return
    with open(sys.argv[4], encoding="utf-8") as file:
        ptx = file.read()
    known = read_kernels()
    bounds = {kernel: int((BOUND.findall(head) or [0])[0]) for kernel, head in ENTRY.findall(ptx)}
    with open(os.environ["FAKE_PTXAS_LOG"], "a", encoding="utf-8") as log:
        asked = "".join(f" {kernel}={bound}" for kernel, bound in bounds.items() if bound)
        print(f"{sys.argv[3].removeprefix('-arch=')}: {len(bounds)} kernels{asked}", file=log)
    sizes = {}
    for kernel, bound in bounds.items():
        registers, spilled, sizes[kernel] = assemble(kernel, bound, known)
        print(f"ptxas info    : Compiling entry function '{kernel}' for 'sm_90'")
        print(f"    {spilled} bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads")
        print(f"ptxas info    : Used {registers} registers, used 0 barriers")
    with open(sys.argv[6], "wb") as file:
        file.write(make_cubin(sizes))


if __name__ == "__main__":
    main()
