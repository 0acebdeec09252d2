# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flips bytes of a plan, one at a time, and demands that accel-run refuses it and says where: flip_bytes.py PLAN WORK_FILE

Of the header every byte that means something, of each section, the manifest and the gaps between them the ends and places
between them. Damaged weights are found when they are loaded, once the run directory exists, the others before anything is
written. That any byte whatever is found, the unit test of the container shows on a smaller plan.
"""

import pathlib
import re
import struct
import subprocess
import sys

from edit_plan import HEADER, field_value, fields

REMEDY = "; copy the plan again, or compile the model again with accelc"
SECTIONS, NAME, OFFSET, SIZE = 6, 1, 3, 4  # fields of Manifest and Section
CHUNK = 4 << 20
WARNING = "warning: no --data: training on SYNTHETIC data"
MEANT = 112  # bytes of the header that are not padding


def sections_of(plan):
    """Yields (name, begin, end) of each section."""
    _, _, _, _, manifest_at, manifest_size, _ = struct.unpack_from("<8sIIQQQQ", plan)
    for number, _, section in fields(plan[manifest_at:manifest_at + manifest_size]):
        if number == SECTIONS:
            begin = field_value(section, OFFSET)
            yield field_value(section, NAME).decode(), begin, begin + field_value(section, SIZE)


def places_in(begin, end, count=5):
    return sorted({begin + (end - 1 - begin) * i // (count - 1) for i in range(count)}) if end > begin else []


def damages(plan):
    """Yields (position, what accel-run must say about it)."""
    for position in range(8):
        yield position, "not a plan: its first bytes are not 'ACCELPLN'; plans are written by 'accelc MODEL.onnx -o PLAN'"
    yield 9, f"expected plan format 4.x, got 4100.{plan[12]}; compile the model again with this release's accelc"
    header = "the header is damaged: it does not have the hash that it names" + REMEDY
    yield from ((position, header) for position in [*range(12, MEANT), *places_in(MEANT, HEADER)])

    end = HEADER
    for name, begin, section_end in sections_of(plan):
        padding = f"the padding before section '{name}' is damaged: it is not zero" + REMEDY
        yield from ((position, padding) for position in places_in(end, begin, 3))
        for position in places_in(begin, section_end):
            first = begin + (position - begin) // CHUNK * CHUNK
            yield position, (f"section '{name}' is damaged: bytes [{first}, {min(first + CHUNK, section_end)}) of the file "
                             "do not have the hash that the manifest names" + REMEDY)
        end = section_end
    manifest_at = struct.unpack_from("<Q", plan, 24)[0]
    padding = "the padding before the manifest is damaged: it is not zero" + REMEDY
    yield from ((position, padding) for position in places_in(end, manifest_at, 3))
    manifest = "the manifest is damaged: it does not have the hash that the header names" + REMEDY
    yield from ((position, manifest) for position in places_in(manifest_at, len(plan)))


def is_refused(work, expected):
    """Whether accel-run says so, and takes no step; otherwise what it did is printed."""
    in_weights = expected.startswith("section 'weights'")
    folder = "run-weights" if in_weights else "run"
    run = subprocess.run(["accel-run", work.name, "--steps", "1", "--run-dir", folder], cwd=work.parent, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    error = f"'{work.name}': {expected}\n"
    if in_weights:
        same = WARNING in run.stderr and re.search(r"error: instruction \d+ of 'init' \(load .*\): " + re.escape(error), run.stderr)
        metrics = work.parent / folder / "metrics.jsonl"
        refused = run.returncode == 4 and same and "step 1" not in run.stdout and not metrics.read_text()
    else:
        status = 3 if "plan format" in expected else 4
        refused = (run.returncode, run.stdout, run.stderr) == (status, "", f"error: {error}")
    if not refused:
        print(f"expected\n{error}got {run.returncode} and\n{run.stdout}{run.stderr}")
    return refused


def main():
    plan = pathlib.Path(sys.argv[1]).read_bytes()
    work = pathlib.Path(sys.argv[2])
    count = 0
    for position, expected in damages(plan):
        damaged = bytearray(plan)
        damaged[position] ^= 0x10
        work.write_bytes(damaged)
        if not is_refused(work, expected):
            sys.exit(f"byte {position} is not refused so")
        count += 1
    print(f"{count} damaged plans refused, of {len({name for name, _, _ in sections_of(plan)})} sections")


if __name__ == "__main__":
    main()
