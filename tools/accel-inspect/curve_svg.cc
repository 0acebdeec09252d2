// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines, ticks and a key, in coordinates of hundredths of a unit.
#include "tools/accel-inspect/curve_svg.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/accel-inspect/markup.h"

namespace accel::tools {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 400;
constexpr double kLeft = 72;
constexpr double kRight = 24;
constexpr double kTop = 44;
constexpr double kBottom = 52;
constexpr double kKeyLine = 20;
constexpr size_t kColumns = 1200;  // points of a line: more are not seen
constexpr size_t kMostDots = 100;  // beside each other: more are a band

// Told apart also by people who do not see all colours, on white and on black.
struct Color {
  const char* light;
  const char* dark;
};
constexpr Color kColors[] = {{"#0b63b5", "#6cb2ff"}, {"#b4540a", "#ffa657"},
                             {"#0f7b5f", "#56d4a8"}, {"#8e3a97", "#d99be0"},
                             {"#6b6b00", "#d8d05a"}, {"#b3264e", "#ff8fae"},
                             {"#3b4a5a", "#b6c2cf"}, {"#5a3fc0", "#b3a3ff"}};

struct Theme {
  const char* surface;
  const char* text;
  const char* muted;
  const char* grid;
};
constexpr Theme kLight = {"#ffffff", "#1f2328", "#59636e", "#e3e6ea"};
constexpr Theme kDark = {"#0d1117", "#e6edf3", "#9198a1", "#2a313a"};

// Colours as they are: not every reader of SVG knows variables.
std::string Colors(const Theme& theme, size_t colors, bool dark) {
  std::string rules = absl::StrFormat(
      ".s{fill:%s}text{fill:%s}.t{fill:%s}.g{stroke:%s}.a{stroke:%s}",
      theme.surface, theme.muted, theme.text, theme.grid, theme.muted);
  for (size_t i = 0; i < colors; ++i) {
    const char* color = dark ? kColors[i].dark : kColors[i].light;
    absl::StrAppendFormat(&rules, ".c%d{stroke:%s}.k%d{fill:%s}", i, color, i,
                          color);
  }
  return rules;
}

std::string Style(size_t curves) {
  const size_t colors = std::min(curves, std::size(kColors));
  return absl::StrCat(
      "<style>\ntext{font:13px system-ui,sans-serif}"
      ".t{font-size:15px;font-weight:600}.g,.a{stroke-width:1}"
      ".l{fill:none;stroke-width:2;stroke-linejoin:round;"
      "stroke-linecap:round}.e{stroke-dasharray:7 5}\n",
      Colors(kLight, colors, false), "\n@media (prefers-color-scheme:dark){",
      Colors(kDark, colors, true), "}\n</style>\n");
}

// How a line is drawn: broken for evaluations.
struct Pen {
  size_t number = 0;  // of the colour
  bool is_broken = false;

  size_t color() const { return number % std::size(kColors); }
  std::string LineClass() const {
    return absl::StrCat("l ", is_broken ? "e " : "", "c", color());
  }
};

// At "x,y".
std::string DotAt(const std::string& point, const Pen& pen) {
  const std::pair<std::string, std::string> place = absl::StrSplit(point, ',');
  return absl::StrFormat(
      "<circle class=\"k%d\" cx=\"%s\" cy=\"%s\" r=\"3\"/>\n", pen.color(),
      place.first, place.second);
}

// A line of points "x,y"; a dot of one.
std::string LineOf(const std::vector<std::string>& points, const Pen& pen) {
  if (points.empty()) {
    return "";
  }
  if (points.size() == 1) {
    return DotAt(points.front(), pen);
  }
  return absl::StrFormat("<polyline class=\"%s\" points=\"%s\"/>\n",
                         pen.LineClass(), absl::StrJoin(points, " "));
}

// In the colour of the run; the evaluations of a run alone have one of their
// own, as nothing else needs it.
Pen EvaluationPen(size_t number, size_t curves) {
  return {curves == 1 ? 1 : number, true};
}

// A line of the key.
struct KeyEntry {
  Pen pen;
  std::string text;
};

// None where there is one line, which the title names.
std::vector<KeyEntry> KeyOf(const std::vector<Curve>& curves) {
  std::vector<KeyEntry> key;
  for (size_t i = 0; i < curves.size(); ++i) {
    const bool is_alone = curves.size() == 1;
    if (!is_alone || curves[i].evaluates()) {
      key.push_back({{i, false}, is_alone ? "training" : curves[i].label});
    }
    if (curves[i].evaluates()) {
      key.push_back(
          {EvaluationPen(i, curves.size()),
           absl::StrCat(is_alone ? "" : curves[i].label + ", ", "evaluation")});
    }
  }
  return key;
}

class Picture {
 public:
  Picture(const CurveRange& range, std::vector<KeyEntry> key)
      : range_(range), key_(std::move(key)) {}

  double height() const {
    return kHeight + kKeyLine * static_cast<double>(key_.size());
  }
  double X(double step) const {
    const double steps = static_cast<double>(
        std::max<int64_t>(1, range_.last_step - range_.first_step));
    return kLeft + (kWidth - kLeft - kRight) *
                       (step - static_cast<double>(range_.first_step)) / steps;
  }
  double Y(double loss) const {
    return kTop + (kHeight - kTop - kBottom) * PlaceOf(loss, range_);
  }

  std::string Axes() const;
  std::string Lines(const Curve& curve, const Pen& steps,
                    const Pen& evaluations) const;
  std::string Key() const;

 private:
  std::string Line(const std::vector<CurveColumn>& columns,
                   const Pen& pen) const;
  std::string PointAt(size_t column, double loss) const;

  CurveRange range_;
  std::vector<KeyEntry> key_;
};

std::string Picture::Axes() const {
  std::string svg;
  const std::vector<double> losses =
      RoundTicks(range_.lowest, range_.highest, 6);
  const double distance = losses.size() > 1 ? losses[1] - losses[0] : 0;
  for (const double loss : losses) {
    absl::StrAppendFormat(
        &svg,
        "<line class=\"g\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>"
        "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
        kLeft, Y(loss), kWidth - kRight, Y(loss), kLeft - 10, Y(loss) + 4.5,
        TickText(loss, distance));
  }
  const double base = kHeight - kBottom;
  absl::StrAppendFormat(
      &svg,
      "<line class=\"a\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n",
      kLeft, base, kWidth - kRight, base);
  std::vector<double> steps =
      RoundTicks(static_cast<double>(range_.first_step),
                 static_cast<double>(range_.last_step), 6);
  const double step_distance = steps.size() > 1 ? steps[1] - steps[0] : 0;
  for (const double step : steps) {
    if (step != static_cast<double>(static_cast<int64_t>(step))) {
      continue;  // of a run of few steps
    }
    absl::StrAppendFormat(
        &svg, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s</text>\n",
        X(step), base + 20, TickText(step, std::max(1.0, step_distance)));
  }
  absl::StrAppendFormat(
      &svg, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">step</text>\n",
      kWidth - kRight, base + 40);
  return svg;
}

std::string Picture::PointAt(size_t column, double loss) const {
  const double steps =
      static_cast<double>(range_.last_step - range_.first_step);
  const double x = X(static_cast<double>(range_.first_step) +
                     steps * static_cast<double>(column) /
                         static_cast<double>(kColumns - 1));
  return absl::StrFormat("%.2f,%.2f", x, Y(loss));
}

// Each column from its first to its last loss by way of the extremes: what is
// seen of thousands of steps in a point. A gap ends a line and begins another.
std::string Picture::Line(const std::vector<CurveColumn>& columns,
                          const Pen& pen) const {
  std::string svg;
  std::vector<std::string> points;
  for (size_t i = 0; i < columns.size(); ++i) {
    const CurveColumn& column = columns[i];
    if (!column.has_points) {
      continue;
    }
    if (column.after_gap) {
      absl::StrAppend(&svg, LineOf(points, pen));
      points.clear();
    }
    const auto add = [&](double loss) { points.push_back(PointAt(i, loss)); };
    add(column.first);
    if (column.lowest < column.highest) {
      add(column.highest);
      add(column.lowest);
      add(column.last);
    }
  }
  return absl::StrCat(svg, LineOf(points, pen));
}

std::string Picture::Lines(const Curve& curve, const Pen& steps,
                           const Pen& evaluations) const {
  std::string svg = Line(ColumnsOf(curve, range_, kColumns), steps);
  const std::vector<CurveColumn> columns =
      EvaluationColumnsOf(curve, range_, kColumns);
  absl::StrAppend(&svg, Line(columns, evaluations));
  std::vector<std::string> dots;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].has_points) {
      dots.push_back(DotAt(PointAt(i, columns[i].last), evaluations));
    }
  }
  return dots.size() > kMostDots ? svg
                                 : absl::StrCat(svg, absl::StrJoin(dots, ""));
}

std::string Picture::Key() const {
  std::string svg;
  for (size_t i = 0; i < key_.size(); ++i) {
    const double y = kHeight + kKeyLine * static_cast<double>(i);
    absl::StrAppendFormat(
        &svg,
        "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" "
        "y2=\"%.2f\"/><text x=\"%.2f\" y=\"%.2f\">%s</text>\n",
        key_[i].pen.LineClass(), kLeft, y, kLeft + 24, y, kLeft + 34, y + 4.5,
        EscapedMarkup(key_[i].text));
  }
  return svg;
}

}  // namespace

std::string CurveSvg(const std::vector<Curve>& curves) {
  const CurveRange range = RangeOf(curves);
  const Picture picture(range, KeyOf(curves));
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
      "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
      "aria-label=\"loss by step\">\n",
      kWidth, picture.height(), kWidth, picture.height());
  absl::StrAppend(
      &svg,
      Style(curves.size() == 1 && curves[0].evaluates() ? 2 : curves.size()));
  absl::StrAppendFormat(&svg,
                        "<rect class=\"s\" width=\"%.0f\" height=\"%.0f\"/>\n",
                        kWidth, picture.height());
  absl::StrAppendFormat(
      &svg, "<text class=\"t\" x=\"%.2f\" y=\"26\">%s</text>\n", kLeft,
      curves.size() == 1
          ? absl::StrCat("loss, ", EscapedMarkup(curves.front().label))
          : "loss");
  if (range.empty) {
    absl::StrAppendFormat(&svg,
                          "<text x=\"%.2f\" y=\"%.2f\">no loss is "
                          "finite</text>\n</svg>\n",
                          kLeft, kHeight / 2);
    return svg;
  }
  absl::StrAppend(&svg, picture.Axes());
  for (size_t i = 0; i < curves.size(); ++i) {
    absl::StrAppend(&svg, picture.Lines(curves[i], {i, false},
                                        EvaluationPen(i, curves.size())));
  }
  return absl::StrCat(svg, picture.Key(), "</svg>\n");
}

}  // namespace accel::tools
