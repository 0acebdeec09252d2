# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes what a plan says of itself and makes every hash right again, so that the hashes do not hide the next check.

usage: edit_plan.py PLAN OUT [--feature NAME]... [--cpu NAME]... [--major N]

--feature adds a required feature, --cpu makes NAME the processor feature that all code needs, --major changes the format.
"""

import argparse
import hashlib
import pathlib
import struct

FEATURES, VARIANTS = 3, 19  # fields of Manifest
VARIANT_FEATURES = 3  # a field of CodeVariant
HEADER = 4096


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
    """Yields (number, bytes of the whole field, bytes of its content if it has a length)."""
    at = 0
    while at < len(message):
        begin = at
        tag, at = read_varint(message, at)
        content = b""
        if tag & 7 == 0:
            _, at = read_varint(message, at)
        elif tag & 7 == 2:
            size, at = read_varint(message, at)
            content = message[at:at + size]
            at += size
        else:
            at += {1: 8, 5: 4}[tag & 7]
        yield tag >> 3, message[begin:at], content


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def field_value(message, wanted):
    """The last field of that number, bytes or integer; 0 if there is none."""
    value = 0
    for number, raw, content in fields(message):
        if number == wanted:
            tag, at = read_varint(raw, 0)
            value = content if tag & 7 == 2 else read_varint(raw, at)[0]
    return value


def for_cpu(variant, names):
    kept = b"".join(raw for number, raw, _ in fields(variant) if number != VARIANT_FEATURES)
    return kept + b"".join(field(VARIANT_FEATURES, name.encode()) for name in names)


def edit_variant(variant, options):
    return for_cpu(variant, options.cpu) if options.cpu else variant


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--feature", action="append", default=[])
    parser.add_argument("--cpu", action="append", default=[])
    parser.add_argument("--major", type=int)
    options = parser.parse_args()

    plan = options.plan.read_bytes()
    magic, major, minor, _, manifest_at, manifest_size, chunk = struct.unpack_from("<8sIIQQQQ", plan)
    manifest = b""
    for number, raw, content in fields(plan[manifest_at:manifest_at + manifest_size]):
        manifest += field(VARIANTS, edit_variant(content, options)) if number == VARIANTS else raw
    manifest += b"".join(field(FEATURES, name.encode()) for name in options.feature)

    header = struct.pack("<8sIIQQQQ", magic, options.major or major, minor, manifest_at + len(manifest), manifest_at,
                         len(manifest), chunk) + hashlib.sha256(manifest).digest()
    header += hashlib.sha256(header).digest()
    options.out.write_bytes(header.ljust(HEADER, b"\0") + plan[HEADER:manifest_at] + manifest)


if __name__ == "__main__":
    main()
