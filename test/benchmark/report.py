#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what was measured into the pages that show it.

  test/benchmark/report.py         writes tables and charts anew
  test/benchmark/report.py --check changes nothing, names what differs, and fails

The numbers come from docs/benchmarks/cpu-against-pytorch/*.json, a file for
each machine, and docs/benchmarks/sharding-cpu.json, which `compare` writes. A
table stands between `<!-- measured: NAME -->` and `<!-- /measured -->`; the
README shows ratios nowhere else. Charts have a light and a dark form.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import tables  # noqa: E402
from chart import PALETTES, draw  # noqa: E402

FOLDER = Path("docs/benchmarks")
README = Path("README.md")
AGAINST_PYTORCH = FOLDER / "cpu-against-pytorch.md"
SHARDING = FOLDER / "sharding-cpu.md"
# A document, and the tables that must stand in it.
BLOCKS = {
    README: ["summary"],
    AGAINST_PYTORCH: ["summary", "details", "machines"],
    SHARDING: ["sharding"],
}
BLOCK = re.compile(r"(<!-- measured: (\w+) -->\n)(.*?)(<!-- /measured -->\n)", re.DOTALL)
RATIO = re.compile(r"(?<![\w.])\d+\.\d\d(?![\w.])")


def load(root: Path) -> list[dict]:
    """The measurements of all machines, the most complete ones first."""
    reports = []
    for file in sorted((root / FOLDER / "cpu-against-pytorch").glob("*.json")):
        report = json.loads(file.read_text())
        unknown = {r["workload"] for r in report["results"]} - set(tables.ROWS)
        if unknown:
            raise SystemExit(
                f"report: {file}: expected workloads among {', '.join(tables.ROWS)}, "
                f"got {', '.join(sorted(unknown))}; add a row in test/benchmark/tables.py"
            )
        report["link"] = f"{file.parent.name}/{file.name}"
        reports.append(report)
    if not reports:
        raise SystemExit(f"report: expected measurements in {root / FOLDER}, got none")
    return sorted(reports, key=lambda report: -len(report["results"]))


def make_tables(root: Path, reports: list[dict]) -> dict[str, str]:
    sharding = json.loads((root / FOLDER / "sharding-cpu.json").read_text())
    return {
        "summary": tables.summary(reports),
        "details": tables.details(reports),
        "machines": tables.machines(reports),
        "sharding": tables.sharding(sharding),
    }


def fill(path: Path, text: str, made: dict[str, str]) -> str:
    """The document with its tables as they should be."""
    found = [match[2] for match in BLOCK.finditer(text)]
    if found != BLOCKS[path]:
        raise SystemExit(
            f"{path}:1: expected the blocks {', '.join(BLOCKS[path])} in this order, each "
            f"between <!-- measured: NAME --> and <!-- /measured -->; got "
            f"{', '.join(found) or 'none'}"
        )
    return BLOCK.sub(lambda match: match[1] + made[match[2]] + match[4], text)


def stray_ratios(text: str) -> list[tuple[int, str]]:
    """Ratios that stand outside of the tables, each with its line."""
    rest = BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [
        (number, ratio)
        for number, line in enumerate(rest.splitlines(), 1)
        for ratio in RATIO.findall(line)
    ]


def expected_files(root: Path) -> dict[Path, str]:
    reports = load(root)
    made = make_tables(root, reports)
    files = {path: fill(path, (root / path).read_text(), made) for path in BLOCKS}
    for form in PALETTES:
        files[FOLDER / f"cpu-against-pytorch-{form}.svg"] = draw(reports, form)
    return files


def first_difference(old: str, new: str) -> int:
    lines = zip(old.splitlines(), new.splitlines(), strict=False)
    same = (number for number, (a, b) in enumerate(lines, 1) if a != b)
    return next(same, min(len(old.splitlines()), len(new.splitlines())) + 1)


def check(root: Path) -> list[str]:
    findings = []
    for path, expected in expected_files(root).items():
        text = (root / path).read_text() if (root / path).exists() else ""
        if text != expected:
            line = first_difference(text, expected)
            findings.append(
                f"{path}:{line}: not what was measured; test/benchmark/report.py writes it anew"
            )
    findings += [
        f"{README}:{line}: '{ratio}' stands outside of the table of what was measured: "
        "leave it to the table"
        for line, ratio in stray_ratios((root / README).read_text())
    ]
    return findings


def update(root: Path) -> None:
    """Writes the files that are not as they should be."""
    for path, text in expected_files(root).items():
        if not (root / path).exists() or (root / path).read_text() != text:
            (root / path).write_text(text)
            print(f"written: {path}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--root", type=Path, default=HERE.parent.parent)
    arguments = parser.parse_args()
    if not arguments.check:
        update(arguments.root)
        return 0
    findings = check(arguments.root)
    for finding in findings:
        print(finding)
    print(f"report: {len(BLOCKS) + len(PALETTES)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
