// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Style and script, as they stand in the page.
#include "tools/accel-inspect/report_page.h"

namespace accel::tools {

// Colours that people who do not see all of them tell apart, on white and on
// black, as those of curve_svg.cc.
const char kReportStyle[] = R"css(
:root{color-scheme:light dark;--surface:#fff;--card:#f6f8fa;--text:#1f2328;--muted:#59636e;--grid:#dfe3e8;
--c0:#0b63b5;--c1:#b4540a;--good:#0f7b5f;--bad:#b3264e;--resume:#8e3a97}
@media (prefers-color-scheme:dark){:root{--surface:#0d1117;--card:#161b22;--text:#e6edf3;--muted:#9198a1;--grid:#2a313a;
--c0:#6cb2ff;--c1:#ffa657;--good:#56d4a8;--bad:#ff8fae;--resume:#d99be0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:20px 16px 48px;background:var(--surface);color:var(--text);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:22px;margin:0;overflow-wrap:anywhere}
h2{font-size:16px;margin:28px 0 10px}
.sub{margin:2px 0 16px;color:var(--muted)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px;margin:0}
.tiles div{background:var(--card);border-radius:8px;padding:8px 12px}
.tiles dt{color:var(--muted);font-size:12px}
.tiles dd{margin:0;font-size:18px;font-weight:600;overflow-wrap:anywhere}
.tiles small{display:block;color:var(--muted);font-size:12px;font-weight:400}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,360px),1fr));gap:12px;margin-top:12px}
figure{margin:0;background:var(--card);border-radius:8px;padding:10px 22px 6px 8px;min-width:0}
.large{grid-column:1/-1}
p.large{margin:0 6px}
figcaption{padding-left:6px;min-height:42px;line-height:1.5}
figcaption small,.small p,.large p,.note{color:var(--muted);font-size:12px}
figure p{margin:2px 6px 4px}
figcaption output{display:block;color:var(--muted);font-size:12px;height:18px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.key{margin-left:10px;font-size:12px;white-space:nowrap}
.key:before,.mark:before{content:"";display:inline-block;width:14px;height:3px;margin-right:5px;vertical-align:middle;background:var(--c0)}
.k1:before{background:var(--c1)}
.mark{white-space:nowrap;margin-right:12px}
.mark:before{width:3px;height:12px}
.mark.resume:before{background:var(--resume)}
.mark.checkpoint:before{background:var(--good)}
.mark.skipped:before,.mark.halt:before{background:var(--bad)}
.mark.gap:before{width:14px;background:var(--muted);opacity:.3}
.mark.planned:before{width:14px;height:0;background:none;border-top:2px dashed var(--muted)}
.plot{display:grid;grid-template-columns:46px minmax(0,1fr);grid-template-rows:150px 22px}
.large .plot{grid-template-rows:280px 22px}
.area{position:relative}
.area svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.area i{position:absolute;top:0;bottom:0;width:1px;background:var(--text);opacity:.45;display:none;pointer-events:none}
.y,.x{position:relative;color:var(--muted);font-size:11px}
.y span{position:absolute;right:7px;transform:translateY(-50%);white-space:nowrap}
.x{grid-column:2}
.x span{position:absolute;top:4px;transform:translateX(-50%);white-space:nowrap}
path{fill:none;vector-effect:non-scaling-stroke;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.g{stroke:var(--grid);stroke-width:1}
.r{stroke:var(--muted);stroke-dasharray:5 4}
.gap{fill:var(--muted);opacity:.2}
path.resume{stroke:var(--resume);stroke-dasharray:3 3;stroke-width:1}
path.checkpoint{stroke:var(--good);stroke-width:2;stroke-linecap:butt}
path.skipped,path.halt{stroke:var(--bad);stroke-width:2;stroke-linecap:butt}
.b{stroke-width:1;stroke-opacity:.35;fill-opacity:.22}
.b0{stroke:var(--c0);fill:var(--c0)}.b1{stroke:var(--c1);fill:var(--c1)}
.c0{stroke:var(--c0)}.c1{stroke:var(--c1)}
.d{stroke-width:5}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th{text-align:left;color:var(--muted);font-weight:400}
td,th{padding:4px 14px 4px 0;border-bottom:1px solid var(--grid);vertical-align:top}
td:last-child{width:100%;overflow-wrap:anywhere;padding-right:0}
th{white-space:nowrap}
th.wraps{white-space:normal;min-width:110px}
.when{white-space:nowrap;color:var(--muted)}
td.number{text-align:right}
td.bad{color:var(--bad)}
@media (max-width:560px){.events .when{display:none}h1{font-size:19px}.large .plot{grid-template-rows:210px 22px}}
@media print{body{max-width:none}figure,.tiles div{break-inside:avoid}}
)css";

// All charts show the step under the pointer in one of them.
const char kReportScript[] = R"js(
(() => {
  const charts = [...document.querySelectorAll("figure[data-from]")].map((figure) => ({
    from: +figure.dataset.from, to: +figure.dataset.to, area: figure.querySelector(".area"), cursor: figure.querySelector(".area i"),
    output: figure.querySelector("output"), lines: JSON.parse(figure.querySelector("script").textContent)}));
  const lastOf = (point) => point.length > 2 ? point[1] : point[0];
  const find = (line, step) => {
    let low = 1, high = line.length - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (lastOf(line[middle]) < step) low = middle + 1; else high = middle;
    }
    const before = line[low - 1];
    return low > 1 && step - lastOf(before) < line[low][0] - step ? before : line[low];
  };
  const digits = (value) => +value.toPrecision(4);
  const range = ([first, last, lowest, highest, mean]) => `steps ${first}-${last}: ` +
    (lowest === highest ? digits(mean) : `${digits(lowest)} to ${digits(highest)}, mean ${digits(mean)}`);
  const text = (point) => point.length > 2 ? range(point) : `step ${point[0]}: ${+point[1].toPrecision(6)}`;
  const show = (step) => {
    for (const chart of charts) {
      chart.cursor.style.display = step === null ? "none" : "block";
      if (step === null) {
        chart.output.textContent = "";
        continue;
      }
      chart.cursor.style.left = 100 * (step - chart.from) / Math.max(1, chart.to - chart.from) + "%";
      chart.output.textContent = chart.lines.filter((line) => line.length > 1)
        .map((line) => (line[0] ? line[0] + ", " : "") + text(find(line, step))).join("; ");
    }
  };
  for (const chart of charts) {
    const move = (event) => {
      const box = chart.area.getBoundingClientRect();
      const place = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      show(Math.round(chart.from + place * (chart.to - chart.from)));
    };
    chart.area.addEventListener("pointermove", move);
    chart.area.addEventListener("pointerdown", move);
    chart.area.addEventListener("pointerleave", () => show(null));
  }
})();
)js";

}  // namespace accel::tools
