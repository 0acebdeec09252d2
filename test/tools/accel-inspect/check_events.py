# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an event file of TensorBoard by what is published of its format, beside the metrics: check_events.py FILE METRICS. Every record's length
and checksums are right; every step has its scalars once, with its time; nothing else is there."""

import datetime
import json
import math
import struct
import sys


def crc32c(data):
    """Bit by bit, of the polynomial itself."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        length, length_crc = struct.unpack("<QI", data[:12])
        assert length_crc == masked(data[:8])
        record, (crc,) = data[12:12 + length], struct.unpack("<I", data[12 + length:16 + length])
        assert len(record) == length and crc == masked(record)
        yield record
        data = data[16 + length:]


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """Numbers and values of a message, as the wire format of protocol buffers has them."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            (value,), at = struct.unpack("<d", data[at:at + 8]), at + 8
        elif kind == 5:
            (value,), at = struct.unpack("<f", data[at:at + 4]), at + 4
        else:
            assert kind == 2, kind
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield tag >> 3, value


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


assert crc32c(b"123456789") == 0xE3069283
path, metrics = sys.argv[1:]
events = [dict(fields(record)) for record in records(open(path, "rb").read())]
assert events[0][3] == b"brain.Event:2" and 5 not in events[0], events[0]
lines = []
for line in map(json.loads, open(metrics, encoding="utf-8")):
    # An evaluation has a line of its own, behind that of its step.
    if "eval_loss" in line:
        lines[-1]["eval_loss"] = line["eval_loss"]
    else:
        lines.append(line)
assert len(events) == 1 + len(lines), (len(events), len(lines))
TAGS = ("loss", "eval_loss", "lr", "grad_norm", "tokens_per_second", "peak_bytes", "data_wait_seconds", "loss_scale", "skipped_steps")
for event, line in zip(events[1:], lines, strict=True):
    assert set(event) == {1, 2, 5} and event[2] == line["step"], (event, line)
    time = datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    assert abs(event[1] - time.timestamp()) < 1e-5, (event[1], line["time"])
    scalars = {}
    for number, value in fields(event[5]):
        assert number == 1
        scalar = dict(fields(value))
        assert set(scalar) == {1, 2} and scalar[1].decode() not in scalars, scalar
        scalars[scalar[1].decode()] = scalar[2]
    assert set(scalars) == {tag for tag in TAGS if tag in line}, (scalars, line)
    for tag, value in scalars.items():
        wanted = line[tag]
        assert math.isnan(value) if wanted is None else math.isclose(value, single(wanted), rel_tol=2e-7), (tag, value, wanted)
print(len(lines), "steps")
