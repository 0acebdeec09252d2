# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an SVG of accel-inspect metrics: well-formed, both forms, all that is drawn inside of the picture."""

import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
root = ET.parse(sys.argv[1]).getroot()
_, _, width, height = (float(number) for number in root.get("viewBox").split())
style = root.find(SVG + "style").text
assert "prefers-color-scheme:dark" in style, style
lines = root.findall(SVG + "polyline")
assert len(lines) == 2, len(lines)
for line in lines:
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in points), points
    assert [x for x, _ in points] == sorted(x for x, _ in points), points
texts = [text.text for text in root.findall(SVG + "text")]
assert "run" in texts and "other" in texts and "step" in texts, texts
for text in root.findall(SVG + "text"):
    assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height, text.attrib
