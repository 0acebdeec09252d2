# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what `compare` measured: a panel for each machine, in it bars of step
times for each workload, the better of PyTorch's two being 1, and a mark where
the roofline is. One drawing, in a light and a dark form."""

from __future__ import annotations

import dataclasses
from xml.sax.saxutils import escape

from tables import ROWS, result_of, short_name

SIDES = {"accel": "Accel", "compile": "torch.compile", "eager": "PyTorch eager"}
BAR, GAP, LEFT, TOP = 13, 15, 196, 88
PANEL, BETWEEN, RIGHT, TICK = 300, 44, 40, 0.5


@dataclasses.dataclass(frozen=True)
class Palette:
    background: str
    ink: str
    grid: str
    roofline: str
    bars: dict[str, str]


PALETTES = {
    "light": Palette(
        background="#ffffff",
        ink="#1f2328",
        grid="#d1d9e0",
        roofline="#cf222e",
        bars={"accel": "#0969da", "compile": "#818b98", "eager": "#c0c8d0"},
    ),
    "dark": Palette(
        background="#0d1117",
        ink="#e6edf3",
        grid="#30363d",
        roofline="#ff7b72",
        bars={"accel": "#4493f8", "compile": "#848d97", "eager": "#4b535d"},
    ),
}


def shares(result: dict) -> dict[str, float]:
    """Step times of all sides, and the roofline, to that of the better PyTorch."""
    times = result["step_seconds"]
    better = min(seconds for side, seconds in times.items() if side != "accel")
    bars = {side: times[side] / better for side in SIDES if side in times}
    return bars | {"roofline": result["roofline"]["seconds"] / better}


class Drawing:
    def __init__(self, reports: list[dict], palette: Palette):
        self.reports = reports
        self.palette = palette
        self.parts: list[str] = []
        results = [result for report in reports for result in report["results"]]
        largest = max(max(shares(result).values()) for result in results)
        self.ticks = int(largest / TICK) + 1  # the axis ends at the next one
        self.scale = PANEL / (self.ticks * TICK)
        self.pitch = len(SIDES) * BAR + GAP
        self.bottom = TOP + len(ROWS) * self.pitch
        self.width = LEFT + len(reports) * (PANEL + BETWEEN) - BETWEEN + RIGHT
        self.height = self.bottom + 48

    def text(self, x: float, y: float, words: str, anchor="start", weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{escape(words)}</text>'
        )

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" fill="{colour}"/>'
        )

    def line(self, x: float, top: float, bottom: float, colour: str, extra: str = ""):
        self.parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
            f'stroke="{colour}" {extra}/>'
        )

    def legend(self):
        x = 12.0
        for side, name in SIDES.items():
            self.rectangle(x, 34, BAR, BAR - 2, self.palette.bars[side])
            self.text(x + BAR + 6, 44, name)
            x += 40 + 6.6 * len(name)
        self.roofline(x + 3, 31)
        words = "the roofline: products at oneDNN's rate, the update at memory bandwidth"
        self.text(x + 14, 44, words)

    def roofline(self, x: float, top: float):
        self.line(x, top, top + BAR + 4, self.palette.roofline, 'stroke-width="2"')

    def axis(self, left: float):
        for tick in range(self.ticks + 1):
            x = left + tick * TICK * self.scale
            # The better PyTorch is 1: the line that bars are compared with.
            is_one = tick * TICK == 1.0
            colour = self.palette.ink if is_one else self.palette.grid
            self.line(x, TOP - 6, self.bottom, colour)
            self.text(x, self.bottom + 16, f"{tick * TICK:g}", "middle")

    def bars(self, result: dict, left: float, top: float):
        values = shares(result)
        for number, side in enumerate(side for side in SIDES if side in values):
            y = top + number * BAR
            width = values[side] * self.scale
            self.rectangle(left, y, width, BAR - 2, self.palette.bars[side])
            end = max(width, values["roofline"] * self.scale) if side == "accel" else width
            words = f"{values[side]:.2f}"
            weight = "bold" if side == "accel" else "normal"
            self.text(left + end + 5, y + BAR - 3, words, weight=weight)
        self.roofline(left + values["roofline"] * self.scale, top - 3)

    def panel(self, report: dict, left: float):
        name = f"{short_name(report['machine'])}, {report['machine']['threads']} threads"
        self.text(left, TOP - 16, name, weight="bold")
        self.axis(left)
        for number, workload in enumerate(ROWS):
            top = TOP + number * self.pitch
            result = result_of(report, workload)
            if result:
                self.bars(result, left, top)
            else:
                self.text(left + 6, top + 2 * BAR - 3, "not measured")

    def draw(self) -> str:
        self.rectangle(0, 0, self.width, self.height, self.palette.background)
        title = "Time of a training step, fp32, to that of the better PyTorch: lower is better"
        self.text(12, 20, title, weight="bold")
        self.legend()
        for number, report in enumerate(self.reports):
            self.panel(report, LEFT + number * (PANEL + BETWEEN))
        for number, row in enumerate(ROWS.values()):
            y = TOP + number * self.pitch + 2 * BAR - 3
            self.text(LEFT - 12, y, row.title, "end")
        middle = (LEFT + self.width - RIGHT) / 2
        words = "time of a step / time of the better of PyTorch eager and torch.compile"
        self.text(middle, self.bottom + 36, words, "middle")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'font-family="sans-serif" font-size="12" fill="{self.palette.ink}">'
        )
        return "\n".join([head, *self.parts, "</svg>"]) + "\n"


def draw(reports: list[dict], form: str) -> str:
    """The chart of all machines; `form` is a key of PALETTES."""
    return Drawing(reports, PALETTES[form]).draw()
