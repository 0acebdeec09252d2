// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dots on a grid, grouped into characters.
#include "tools/accel-inspect/curve_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace accel::tools {
namespace {

constexpr size_t kLeastWidth = 20;
// A braille character is two dots wide and four high.
constexpr size_t kDotsAcross = 2;
constexpr size_t kDotsDown = 4;
// The bit of each dot of U+2800, by column and row.
constexpr uint32_t kDotBits[kDotsAcross][kDotsDown] = {
    {0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

// A character of the plane: bits of dots, or a letter.
struct Cell {
  uint32_t dots = 0;
  char letter = ' ';
};

std::string BrailleText(uint32_t dots) {
  const uint32_t code = 0x2800 + dots;
  return {static_cast<char>(0xe0 | (code >> 12)),
          static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

class Plane {
 public:
  Plane(size_t columns, size_t rows, bool dots)
      : columns_(columns),
        across_(dots ? kDotsAcross : 1),
        down_(dots ? kDotsDown : 1),
        cells_(rows, std::vector<Cell>(columns)) {}

  // From the last point of one column a line leads to the first of the next
  // one that has any.
  void Draw(const Curve& curve, const CurveRange& range, char letter) {
    const auto row_of = [&](double loss) { return RowOf(loss, range); };
    const std::vector<CurveColumn> columns =
        ColumnsOf(curve, range, columns_ * across_);
    size_t last_x = columns.size();
    for (size_t x = 0; x < columns.size(); ++x) {
      const CurveColumn& column = columns[x];
      if (!column.has_points) {
        continue;
      }
      if (last_x < x && !column.after_gap) {
        Connect(last_x, row_of(columns[last_x].last), x, row_of(column.first),
                letter);
      }
      Fill(x, row_of(column.highest), row_of(column.lowest), letter);
      last_x = x;
    }
  }

  // A letter for each, over the line: they are few, and far from each other.
  void DrawEvaluations(const Curve& curve, const CurveRange& range,
                       char letter) {
    const std::vector<CurveColumn> columns =
        EvaluationColumnsOf(curve, range, columns_ * across_);
    for (size_t x = 0; x < columns.size(); ++x) {
      if (columns[x].has_points) {
        cells_[RowOf(columns[x].last, range) / down_][x / across_] = {0,
                                                                      letter};
      }
    }
  }

  std::string Row(size_t row) const {
    std::string text;
    for (const Cell& cell : cells_[row]) {
      absl::StrAppend(&text, cell.dots != 0 ? BrailleText(cell.dots)
                                            : std::string(1, cell.letter));
    }
    return std::string(absl::StripTrailingAsciiWhitespace(text));
  }

 private:
  size_t RowOf(double loss, const CurveRange& range) const {
    const double lowest_row = static_cast<double>(cells_.size() * down_ - 1);
    return static_cast<size_t>(std::lround(PlaceOf(loss, range) * lowest_row));
  }

  // What lies between two points: each row between them in one column.
  void Connect(size_t from_x, size_t from_y, size_t to_x, size_t to_y,
               char letter) {
    const double slope =
        (static_cast<double>(to_y) - static_cast<double>(from_y)) /
        static_cast<double>(to_x - from_x);
    const auto row_at = [&](double distance) {
      return static_cast<size_t>(
          std::lround(static_cast<double>(from_y) + slope * distance));
    };
    for (size_t x = from_x; x <= to_x; ++x) {
      const double distance = static_cast<double>(x - from_x);
      const size_t begin = row_at(std::max(0.0, distance - 0.5));
      const size_t end =
          row_at(std::min(distance + 0.5, static_cast<double>(to_x - from_x)));
      Fill(x, std::min(begin, end), std::max(begin, end), letter);
    }
  }

  void Fill(size_t x, size_t top, size_t bottom, char letter) {
    for (size_t y = top; y <= bottom; ++y) {
      Set(x, y, letter);
    }
  }

  void Set(size_t x, size_t y, char letter) {
    Cell& cell = cells_[y / down_][x / across_];
    if (down_ == 1) {
      cell.letter = letter;
    } else {
      cell.dots |= kDotBits[x % across_][y % down_];
    }
  }

  size_t columns_;
  size_t across_;  // points of a character
  size_t down_;
  std::vector<std::vector<Cell>> cells_;
};

// Labels of rows: a round number stands in the row nearest to it.
std::vector<std::string> RowLabels(const CurveRange& range, size_t rows) {
  std::vector<std::string> labels(rows);
  const std::vector<double> ticks =
      RoundTicks(range.lowest, range.highest, std::max<size_t>(2, rows / 3));
  const double distance = ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
  for (const double tick : ticks) {
    labels[static_cast<size_t>(
        std::lround(PlaceOf(tick, range) * static_cast<double>(rows - 1)))] =
        TickText(tick, distance);
  }
  return labels;
}

// The line below the plane: first and last step.
std::string StepLine(const CurveRange& range, size_t indent, size_t columns) {
  const std::string first = absl::StrCat(range.first_step);
  const std::string last = absl::StrCat("step ", range.last_step);
  const size_t gap = columns > first.size() + last.size()
                         ? columns - first.size() - last.size()
                         : 1;
  return absl::StrCat(std::string(indent, ' '), first, std::string(gap, ' '),
                      last, "\n");
}

// The letters of steps and of evaluations.
struct Letters {
  char steps;
  char evaluations;
};

Letters LettersOf(size_t number, size_t curves) {
  return curves == 1 ? Letters{'*', 'o'}
                     : Letters{static_cast<char>('a' + number),
                               static_cast<char>('A' + number)};
}

// What the letters stand for, where it is not plain.
std::string KeyText(const std::vector<Curve>& curves, size_t indent) {
  std::string text;
  const auto add = [&](char letter, absl::string_view what) {
    absl::StrAppend(&text, std::string(indent, ' '), std::string(1, letter),
                    "  ", what, "\n");
  };
  for (size_t i = 0; i < curves.size(); ++i) {
    const Letters letters = LettersOf(i, curves.size());
    if (curves.size() > 1) {
      add(letters.steps, curves[i].label);
    }
    if (curves[i].evaluates()) {
      add(letters.evaluations,
          curves.size() > 1 ? absl::StrCat(curves[i].label, ", evaluation")
                            : std::string("evaluation"));
    }
  }
  return text;
}

}  // namespace

std::string CurveText(const std::vector<Curve>& curves,
                      const CurveTextOptions& options) {
  const CurveRange range = RangeOf(curves);
  if (range.empty) {
    return "no loss is finite: there is nothing to draw\n";
  }
  const std::vector<std::string> labels = RowLabels(range, options.height);
  size_t margin = 4;  // "loss"
  for (const std::string& label : labels) {
    margin = std::max(margin, label.size());
  }
  const size_t width = std::max(options.width, kLeastWidth);
  const size_t columns = std::max<size_t>(8, width - margin - 2);
  const bool dots = options.unicode && curves.size() == 1;
  Plane plane(columns, options.height, dots);
  for (size_t i = 0; i < curves.size(); ++i) {
    plane.Draw(curves[i], range, LettersOf(i, curves.size()).steps);
  }
  for (size_t i = 0; i < curves.size(); ++i) {
    plane.DrawEvaluations(curves[i], range,
                          LettersOf(i, curves.size()).evaluations);
  }
  const absl::string_view axis = options.unicode ? "\xe2\x94\x82" : "|";
  const absl::string_view tick = options.unicode ? "\xe2\x94\xa4" : "+";
  std::string text = absl::StrFormat("%*s\n", static_cast<int>(margin), "loss");
  for (size_t row = 0; row < options.height; ++row) {
    absl::StrAppendFormat(&text, "%*s ", static_cast<int>(margin), labels[row]);
    absl::StrAppend(&text, labels[row].empty() ? axis : tick, plane.Row(row),
                    "\n");
  }
  absl::StrAppend(&text, std::string(margin + 1, ' '),
                  options.unicode ? "\xe2\x94\x94" : "+");
  for (size_t i = 0; i < columns; ++i) {
    absl::StrAppend(&text, options.unicode ? "\xe2\x94\x80" : "-");
  }
  absl::StrAppend(&text, "\n", StepLine(range, margin + 2, columns),
                  KeyText(curves, margin + 2));
  return text;
}

bool IsUtf8Locale(const char* lc_all, const char* lc_ctype, const char* lang) {
  for (const char* variable : {lc_all, lc_ctype, lang}) {
    if (variable != nullptr && variable[0] != '\0') {
      const std::string name = absl::AsciiStrToLower(variable);
      return absl::StrContains(name, "utf-8") ||
             absl::StrContains(name, "utf8");
    }
  }
  return false;
}

}  // namespace accel::tools
