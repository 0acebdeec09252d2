// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plane is an SVG that is stretched to its place, so that lines are as wide
// as the page gives room; what is read is text beside it, which keeps its size.
#include "tools/accel-inspect/report_chart.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/accel-inspect/markup.h"

namespace accel::tools {
namespace {

// Of the plane, in units of the SVG.
constexpr double kPlaneWidth = 1000;
constexpr double kPlaneHeight = 400;
// Lines do not touch the edges.
constexpr double kPlaneMargin = 8;
// Of the lowest to the highest value, from where on a chart is logarithmic.
constexpr double kWideRange = 100;
// Lines of fewer points have dots.
constexpr size_t kMostDots = 60;

// The vertical axis.
struct ChartAxis {
  double lowest = 0;
  double highest = 1;
  bool logarithmic = false;

  double Y(double value) const {
    const auto place = [this](double v) {
      return logarithmic ? std::log10(v) : v;
    };
    // In halves: the difference of the largest numbers would not be finite.
    const double share = (place(highest) / 2 - place(value) / 2) /
                         (place(highest) / 2 - place(lowest) / 2);
    return kPlaneMargin +
           (kPlaneHeight - 2 * kPlaneMargin) * std::clamp(share, 0.0, 1.0);
  }
};

// None of the lines has a point: highest < lowest.
ChartAxis AxisOf(const ReportChart& chart) {
  ChartAxis axis{HUGE_VAL, -HUGE_VAL, false};
  for (const ReportLine& line : chart.lines) {
    for (const CurveColumn& column : line.columns) {
      if (column.has_points) {
        axis.lowest = std::min(axis.lowest, column.lowest);
        axis.highest = std::max(axis.highest, column.highest);
      }
    }
  }
  if (axis.highest < axis.lowest) {
    return axis;
  }
  if (chart.reference > 0) {
    axis.highest = std::max(axis.highest, chart.reference);
  }
  axis.logarithmic = chart.logarithmic && axis.lowest > 0 &&
                     axis.highest / axis.lowest >= kWideRange;
  if (chart.from_zero && !axis.logarithmic && axis.lowest >= 0) {
    axis.lowest = 0;
  }
  if (!(axis.highest > axis.lowest)) {
    const double room = std::max(std::fabs(axis.lowest) * 0.1, 1e-6);
    axis.lowest -= chart.from_zero ? 0 : room;
    axis.highest += room;
  }
  return axis;
}

class ChartWriter {
 public:
  ChartWriter(const ReportChart& chart, const ChartAxis& axis)
      : chart_(chart), axis_(axis) {}

  std::string Html(const std::vector<ReportEvent>& events);

 private:
  double X(double step) const {
    const double steps = static_cast<double>(
        std::max<int64_t>(1, chart_.last_step - chart_.first_step));
    return kPlaneWidth * (step - static_cast<double>(chart_.first_step)) /
           steps;
  }
  double XOfColumn(size_t column) const {
    return chart_.last_step == chart_.first_step
               ? 0
               : kPlaneWidth * static_cast<double>(column) /
                     static_cast<double>(kReportColumns - 1);
  }

  // Ticks, each with its label.
  std::vector<std::pair<double, std::string>> ValueTicks() const;
  std::string Caption() const;
  std::string Grid() const;
  std::string Gaps(const std::vector<ReportEvent>& events) const;
  std::string Marks(const std::vector<ReportEvent>& events) const;
  // Paths of SVG.
  struct LinePiece {
    std::string line;
    std::string band;
    std::string dots;  // of all points
    size_t points = 0;
  };
  LinePiece Piece(const std::vector<CurveColumn>& columns, size_t begin,
                  size_t end) const;
  std::string Line(const ReportLine& line, size_t number) const;
  std::string ValueLabels() const;
  std::string StepLabels() const;
  std::string Data() const;

  const ReportChart& chart_;
  const ChartAxis& axis_;
};

std::vector<std::pair<double, std::string>> ChartWriter::ValueTicks() const {
  std::vector<std::pair<double, std::string>> ticks;
  if (axis_.logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(axis_.lowest)));
    const int last = static_cast<int>(std::floor(std::log10(axis_.highest)));
    const int distance = std::max(1, (last - first + 5) / 5);
    for (int power = first; power <= last; power += distance) {
      const double value = std::pow(10, power);
      ticks.emplace_back(value, absl::StrFormat("%g", value / chart_.scale));
    }
    return ticks;
  }
  // Of the values as they are shown.
  const std::vector<double> values =
      RoundTicks(axis_.lowest / chart_.scale, axis_.highest / chart_.scale,
                 chart_.is_large ? 6 : 4);
  const double distance = values.size() > 1 ? values[1] - values[0] : 0;
  for (const double value : values) {
    ticks.emplace_back(value * chart_.scale, TickText(value, distance));
  }
  return ticks;
}

std::string ChartWriter::Caption() const {
  std::string html =
      absl::StrCat("<figcaption><b>", EscapedMarkup(chart_.title), "</b>");
  if (!chart_.unit.empty() || axis_.logarithmic) {
    absl::StrAppend(&html, " <small>", EscapedMarkup(chart_.unit),
                    !chart_.unit.empty() && axis_.logarithmic ? ", " : "",
                    axis_.logarithmic ? "logarithmic" : "", "</small>");
  }
  if (chart_.lines.size() > 1) {
    for (size_t i = 0; i < chart_.lines.size(); ++i) {
      absl::StrAppend(&html, " <span class=\"key k", i, "\">",
                      EscapedMarkup(chart_.lines[i].name), "</span>");
    }
  }
  return absl::StrCat(html, "<output></output></figcaption>\n");
}

std::string ChartWriter::Grid() const {
  std::string path;
  for (const auto& [value, label] : ValueTicks()) {
    absl::StrAppendFormat(&path, "M0 %.1fH%.0f", axis_.Y(value), kPlaneWidth);
  }
  std::string svg = absl::StrCat("<path class=\"g\" d=\"", path, "\"/>");
  if (chart_.reference > 0) {
    absl::StrAppendFormat(&svg, "<path class=\"r\" d=\"M0 %.1fH%.0f\"/>",
                          axis_.Y(chart_.reference), kPlaneWidth);
  }
  return svg;
}

std::string ChartWriter::Gaps(const std::vector<ReportEvent>& events) const {
  std::string path;
  double end = -1;  // of what is shaded already
  for (const ReportEvent& event : events) {
    if (event.kind != ReportEvent::Kind::kGap) {
      continue;
    }
    const double from = std::max(end, X(event.first_step - 1));
    const double to = X(event.last_step + 1);
    if (to - end >= 1) {
      absl::StrAppendFormat(&path, "M%.1f 0H%.1fV%.0fH%.1fZ", from, to,
                            kPlaneHeight, from);
      end = to;
    }
  }
  return path.empty() ? ""
                      : absl::StrCat("<path class=\"gap\" d=\"", path, "\"/>");
}

// One mark of a kind for a column, however many events there are.
std::string ChartWriter::Marks(const std::vector<ReportEvent>& events) const {
  using Kind = ReportEvent::Kind;
  struct Mark {
    Kind kind;
    const char* name;
    double top;
    double bottom;
    bool everywhere;
  };
  constexpr Mark kMarks[] = {
      {Kind::kResume, "resume", 0, kPlaneHeight, true},
      {Kind::kCheckpoint, "checkpoint", kPlaneHeight - 14, kPlaneHeight, false},
      {Kind::kSkipped, "skipped", 0, 22, false},
      {Kind::kHalt, "halt", 0, kPlaneHeight, false}};
  std::string svg;
  for (const Mark& mark : kMarks) {
    std::set<int64_t> columns;
    for (const ReportEvent& event : events) {
      if (event.kind == mark.kind && (mark.everywhere || chart_.is_large) &&
          event.last_step >= chart_.first_step &&
          event.last_step <= chart_.last_step) {
        columns.insert(std::llround(X(static_cast<double>(event.last_step))));
      }
    }
    std::string path;
    for (const int64_t x : columns) {
      absl::StrAppendFormat(&path, "M%d %.0fV%.0f", x, mark.top, mark.bottom);
    }
    if (!path.empty()) {
      absl::StrAppend(&svg, "<path class=\"", mark.name, "\" d=\"", path,
                      "\"/>");
    }
  }
  return svg;
}

// The columns between two gaps: their means as a line, and the band from their
// lowest to their highest values. One column alone is a dot.
ChartWriter::LinePiece ChartWriter::Piece(
    const std::vector<CurveColumn>& columns, size_t begin, size_t end) const {
  LinePiece piece;
  std::string lower;  // of the band, from right to left
  std::string dot;
  for (size_t i = begin; i < end; ++i) {
    const CurveColumn& column = columns[i];
    if (!column.has_points) {
      continue;
    }
    const double x = XOfColumn(i);
    absl::StrAppendFormat(&piece.line, "%s%.1f %.1f",
                          piece.line.empty() ? "M" : "L", x,
                          axis_.Y(column.mean));
    absl::StrAppendFormat(&piece.band, "%s%.1f %.1f",
                          piece.band.empty() ? "M" : "L", x,
                          axis_.Y(column.highest));
    lower = absl::StrFormat("L%.1f %.1f", x, axis_.Y(column.lowest)) + lower;
    dot = absl::StrFormat("M%.1f %.1fh0", x, axis_.Y(column.mean));
    absl::StrAppend(&piece.dots, dot);
    ++piece.points;
  }
  absl::StrAppend(&piece.band, lower, lower.empty() ? "" : "Z");
  return piece;
}

std::string ChartWriter::Line(const ReportLine& line, size_t number) const {
  std::vector<LinePiece> pieces;
  size_t points = 0;
  const auto& columns = line.columns;
  for (size_t begin = 0; begin < columns.size();) {
    size_t end = begin + 1;
    while (end < columns.size() && !columns[end].after_gap) {
      ++end;
    }
    pieces.push_back(Piece(columns, begin, end));
    points += pieces.back().points;
    begin = end;
  }
  std::string path;
  std::string band;
  std::string dots;
  for (const LinePiece& piece : pieces) {
    absl::StrAppend(&path, piece.line);
    absl::StrAppend(&band, piece.band);
    absl::StrAppend(&dots,
                    piece.points == 1 || points <= kMostDots ? piece.dots : "");
  }
  const auto element = [number](const char* name, const std::string& d) {
    return absl::StrCat("<path class=\"", name, number, "\" d=\"", d, "\"/>");
  };
  const bool has_band = std::any_of(
      columns.begin(), columns.end(),
      [](const CurveColumn& column) { return column.lowest < column.highest; });
  return absl::StrCat(has_band ? element("b b", band) : "",
                      element("l c", path),
                      dots.empty() ? "" : element("d c", dots));
}

std::string ChartWriter::ValueLabels() const {
  std::string html = "<div class=\"y\">";
  for (const auto& [value, label] : ValueTicks()) {
    absl::StrAppendFormat(&html, "<span style=\"top:%.2f%%\">%s</span>",
                          100 * axis_.Y(value) / kPlaneHeight, label);
  }
  return absl::StrCat(html, "</div>\n");
}

std::string ChartWriter::StepLabels() const {
  std::string html = "<div class=\"x\">";
  const std::vector<double> steps =
      RoundTicks(static_cast<double>(chart_.first_step),
                 static_cast<double>(chart_.last_step), 5);
  const double distance = steps.size() > 1 ? steps[1] - steps[0] : 0;
  for (const double step : steps) {
    if (step == std::floor(step)) {  // not between those of a short run
      absl::StrAppendFormat(&html, "<span style=\"left:%.2f%%\">%s</span>",
                            100 * X(step) / kPlaneWidth,
                            StepTickText(step, distance));
    }
  }
  return absl::StrCat(html, "</div>\n");
}

// What the script shows of the step under the pointer: of a column its first
// and last step, its lowest, highest and mean value; of one step that and its
// value.
std::string ChartWriter::Data() const {
  std::string json = "[";
  for (size_t i = 0; i < chart_.lines.size(); ++i) {
    // Names are ours: they have no quotes.
    absl::StrAppend(&json, i > 0 ? "," : "", "[\"",
                    chart_.lines.size() > 1 ? chart_.lines[i].name : "", "\"");
    for (const CurveColumn& column : chart_.lines[i].columns) {
      if (!column.has_points) {
        continue;
      }
      if (column.first_step == column.last_step) {
        absl::StrAppendFormat(&json, ",[%d,%.6g]", column.first_step,
                              column.last / chart_.scale);
      } else {
        absl::StrAppendFormat(
            &json, ",[%d,%d,%.6g,%.6g,%.6g]", column.first_step,
            column.last_step, column.lowest / chart_.scale,
            column.highest / chart_.scale, column.mean / chart_.scale);
      }
    }
    absl::StrAppend(&json, "]");
  }
  return absl::StrCat(json, "]");
}

std::string ChartWriter::Html(const std::vector<ReportEvent>& events) {
  std::string html = absl::StrCat(
      "<figure class=\"", chart_.is_large ? "large" : "small",
      "\" data-from=\"", chart_.first_step, "\" data-to=\"", chart_.last_step,
      "\">\n", Caption(), "<div class=\"plot\">\n", ValueLabels(),
      "<div class=\"area\">");
  absl::StrAppendFormat(
      &html,
      "<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" "
      "role=\"img\" aria-label=\"%s by step\">",
      kPlaneWidth, kPlaneHeight, EscapedMarkup(chart_.title));
  absl::StrAppend(&html, Gaps(events), Grid(), Marks(events));
  for (size_t i = 0; i < chart_.lines.size(); ++i) {
    absl::StrAppend(&html, "\n", Line(chart_.lines[i], i));
  }
  absl::StrAppend(&html, "</svg><i></i></div>\n", StepLabels(), "</div>\n");
  if (!chart_.note.empty()) {
    absl::StrAppend(&html, "<p>", EscapedMarkup(chart_.note), "</p>\n");
  }
  return absl::StrCat(html, "<script type=\"application/json\">", Data(),
                      "</script>\n</figure>\n");
}

}  // namespace

std::string StepTickText(double step, double distance) {
  const auto in = [step](double scale, const char* suffix) {
    return absl::StrFormat("%.10g%s", step / scale, step == 0 ? "" : suffix);
  };
  // Ticks are multiples of their distance.
  return distance >= 1e5   ? in(1e6, "M")
         : distance >= 1e3 ? in(1e3, "k")
                           : in(1, "");
}

std::string ChartHtml(const ReportChart& chart,
                      const std::vector<ReportEvent>& events) {
  const ChartAxis axis = AxisOf(chart);
  return axis.highest < axis.lowest ? ""
                                    : ChartWriter(chart, axis).Html(events);
}

}  // namespace accel::tools
