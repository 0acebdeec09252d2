# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Safetensors files, read and written from the format's description alone.

usage: safetensors_files.py SOURCE OUT [--dtype F32|F16|BF16] [--through F16|BF16] [--shards N] [--drop NAME] [--transpose NAME] [--add NAME]

Writes the f32 tensors of SOURCE to OUT in another type, or as f32 after they have been through one, with one tensor less, one more, or one
whose shape is reversed. With --shards OUT is the index of N files beside it.
"""

import argparse
import json
import pathlib
import struct


def read(path):
    """name -> (dtype, shape, bytes)"""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length :]
    return {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def write(path, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def narrow(data, dtype):
    """f32 to 16 bits: f16 rounded, bf16 cut."""
    if dtype == "BF16":
        return b"".join(data[at + 2 : at + 4] for at in range(0, len(data), 4))
    values = struct.unpack(f"<{len(data) // 4}f", data)
    return struct.pack(f"<{len(values)}e", *values)


def widen(data, dtype):
    if dtype == "BF16":
        return b"".join(b"\0\0" + data[at : at + 2] for at in range(0, len(data), 2))
    values = struct.unpack(f"<{len(data) // 2}e", data)
    return struct.pack(f"<{len(values)}f", *values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--dtype", default="F32", choices=["F32", "F16", "BF16"])
    parser.add_argument("--through", choices=["F16", "BF16"])
    parser.add_argument("--shards", type=int)
    parser.add_argument("--drop")
    parser.add_argument("--transpose")
    parser.add_argument("--add")
    options = parser.parse_args()
    tensors = read(options.source)
    for name, (dtype, shape, data) in tensors.items():
        if options.through:
            data = widen(narrow(data, options.through), options.through)
        if options.dtype != "F32":
            dtype, data = options.dtype, narrow(data, options.dtype)
        tensors[name] = (dtype, shape[::-1] if name == options.transpose else shape, data)
    if options.drop:
        del tensors[options.drop]
    if options.add:
        tensors[options.add] = ("I64", [1], bytes(8))
    if not options.shards:
        write(options.out, tensors)
        return
    places = {name: f"{options.out.stem}-{number % options.shards}.safetensors" for number, name in enumerate(tensors)}
    for file in sorted(set(places.values())):
        write(options.out.parent / file, {name: tensor for name, tensor in tensors.items() if places[name] == file})
    size = sum(len(data) for _, _, data in tensors.values())
    options.out.write_text(json.dumps({"metadata": {"total_size": size}, "weight_map": places}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
