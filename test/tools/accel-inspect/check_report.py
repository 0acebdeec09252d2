# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a page of accel-inspect run beside the metrics: check_report.py PAGE METRICS. The page is well-formed and refers to nothing outside;
each picture has every finite value of its metric in one column, with the column's exact extremes and mean, and draws inside its plane."""

import bisect
import html.parser
import json
import math
import os
import re
import sys

METRICS = {"loss": "loss", "learning rate": "lr", "gradient norm": "grad_norm", "tokens per second": "tokens_per_second", "memory": "peak_bytes",
           "wait for data": "data_wait_seconds", "loss scale": "loss_scale", "skipped steps": "skipped_steps"}
SCALES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "thousands": 1e3, "millions": 1e6, "milliseconds of a step": 1e-3}
ALONE = {"meta", "path"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.figures, self.rows, self.paths, self.text = [], [], [], [], ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert not {"src", "href", "data", "action", "background"} & set(attributes), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes), attributes
        if tag not in ALONE:
            self.open.append((tag, attributes))
        if tag == "figure":
            self.figures.append({"title": "", "small": "", "json": "", "paths": []})
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag == "path":
            self.figures[-1]["paths"].append((attributes["class"], attributes["d"]))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        assert tag in ALONE, tag

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "figure" in tags and tags[-1] in ("b", "small"):
            self.figures[-1]["title" if tags[-1] == "b" else "small"] += data
        if tags and tags[-1] == "script" and "figure" in tags:
            self.figures[-1]["json"] += data
        if tags and tags[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if tags and tags[-1] in ("h1", "title", "dd", "p", "small"):
            self.text += data + "\n"


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9)


def check_line(points, values, scale):
    """`values` by step are those of the line, each in one column."""
    steps, seen = [step for step, _ in values], []
    for point in points:
        first, last = point[0], point[1] if len(point) > 2 else point[0]
        inside = values[bisect.bisect_left(steps, first):bisect.bisect_right(steps, last)]
        assert inside, point
        seen += inside
        numbers = [value / scale for _, value in inside]
        expected = (min(numbers), max(numbers), math.fsum(numbers) / len(numbers))
        assert all(close(a, b) for a, b in zip(point[2:] if len(point) > 2 else point[1:] * 3, expected)), (point, expected)
    assert sorted(seen) == values, (len(seen), len(values))


page_path, metrics_path = sys.argv[1:]
source = open(page_path, encoding="utf-8").read()
assert os.path.getsize(page_path) < 2_000_000
assert not re.search(r"https?:|//[a-z]|@import|url\(|fetch|XMLHttp", source), re.search(r"https?:|//[a-z]|@import|url\(|fetch|XMLHttp", source)
assert "default-src 'none'" in source and "prefers-color-scheme:dark" in source and 'name="viewport"' in source
page = Page()
page.feed(source)
page.close()
assert not page.open, page.open
steps = []
for line in map(json.loads, open(metrics_path, encoding="utf-8")):
    # An evaluation has a line of its own, behind that of its step.
    if "eval_loss" in line:
        steps[-1]["eval_loss"] = line["eval_loss"]
    else:
        steps.append(line)
# A value of zero is a value, as where no step waited for data; only skipped steps have no picture as long as there are none.
wanted = [title for title, name in METRICS.items()
          if any(step.get(name) if name == "skipped_steps" else step.get(name) is not None for step in steps)]
assert [figure["title"] for figure in page.figures] == wanted, (wanted, [figure["title"] for figure in page.figures])
for figure in page.figures:
    name = METRICS[figure["title"]]
    scale = SCALES.get(figure["small"].split(",")[0].strip(), 1)
    lines = json.loads(figure["json"])
    for line, key in zip(lines, (name, "eval_loss"), strict=False):
        assert len(line) - 1 <= 800, len(line)
        check_line(line[1:], sorted((step["step"], step[key]) for step in steps if step.get(key) is not None), scale)
    assert len(lines) == (2 if name == "loss" and any("eval_loss" in step for step in steps) else 1), figure["title"]
    for kind, path in figure["paths"]:
        for command, numbers in re.findall(r"([MLHVhZ])([-0-9. ]*)", path):
            numbers = [float(number) for number in numbers.split()]
            x, y = {"M": numbers, "L": numbers, "H": numbers + [0], "V": [0] + numbers}.get(command, (0, 0))
            assert 0 <= x <= 1000 and 0 <= y <= 400, (kind, command, numbers)
print(page.text)
for row in page.rows:
    print("row", *row, sep="|")
for figure in page.figures:
    print("marks", figure["title"], *(f"{kind} {path.count('M')}" for kind, path in figure["paths"] if kind in ("resume", "checkpoint", "skipped", "halt", "gap")))
