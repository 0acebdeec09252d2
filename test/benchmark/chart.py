# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the results of `compare`: bars of step times, the better of PyTorch's
two being 1, and a line where the roof is."""

from __future__ import annotations

from xml.sax.saxutils import escape

LABELS = {"accel": "Accel", "compile": "torch.compile", "eager": "PyTorch eager"}
COLOURS = {"accel": "#1f6feb", "compile": "#8c959f", "eager": "#c6cbd1"}
BAR, GAP, LEFT, WIDTH, RIGHT, TOP = 18, 26, 205, 420, 115, 46


def _text(x: float, y: float, words: str, anchor: str = "start", extra: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>'
        f"{escape(words)}</text>"
    )


def _group(result: dict, top: float, scale: float) -> list[str]:
    """One workload: a bar for every side, the roof's line through them."""
    times = result["step_seconds"]
    better = min(seconds for side, seconds in times.items() if side != "accel")
    parts = [_text(LEFT - 12, top - 7, result["title"], "end", 'font-weight="bold"')]
    y = top
    for side in LABELS:
        if side not in times:
            continue
        share = times[side] / better
        width = share * scale
        parts.append(_text(LEFT - 12, y + 13, LABELS[side], "end"))
        parts.append(
            f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" '
            f'fill="{COLOURS[side]}"/>'
        )
        note = f"{share:.2f}  ({times[side] * 1000:.4g} ms)"
        parts.append(_text(LEFT + width + 6, y + 13, note))
        y += BAR
    roof = LEFT + result["roof"]["seconds"] / better * scale
    parts.append(
        f'<line x1="{roof:.1f}" x2="{roof:.1f}" y1="{top - 3}" y2="{y + 1}" '
        'stroke="#d1242f" stroke-width="2" stroke-dasharray="4 3"/>'
    )
    return parts


def draw(report: dict) -> str:
    results = report["results"]
    sides = max(len(result["step_seconds"]) for result in results)
    largest = max(
        max(times.values()) / min(t for side, t in times.items() if side != "accel")
        for times in (result["step_seconds"] for result in results)
    )
    scale = WIDTH / max(largest, 1.0)
    pitch = sides * BAR + GAP
    height = TOP + len(results) * pitch + 10
    machine = report["machine"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(
            12,
            18,
            f"Time of a training step, fp32, {machine['threads']} threads; the better "
            "PyTorch is 1, the dashed line the roof",
        ),
    ]
    for number, result in enumerate(results):
        parts += _group(result, TOP + number * pitch, scale)
    return "\n".join(parts) + "\n</svg>\n"
