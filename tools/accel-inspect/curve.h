// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Curves of losses to be drawn, of steps and of evaluations: their points, the
// range that they take, ticks.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_CURVE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_CURVE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/accel-inspect/metrics_file.h"

namespace accel::tools {

struct Curve {
  std::string label;
  const MetricsRun* run = nullptr;  // borrowed

  bool evaluates() const { return !run->evaluations.empty(); }
};

// The plane that curves lie in: steps to the right, losses upwards.
struct CurveRange {
  int64_t first_step = 1;
  int64_t last_step = 1;
  double lowest = 0;
  double highest = 1;
  bool empty = true;  // no loss is finite
};

// Of all curves, with their evaluations. Losses that do not differ get some
// room around them.
CurveRange RangeOf(const std::vector<Curve>& curves);

// Where a loss lies: 0 at the top of the range, 1 at its bottom.
double PlaceOf(double loss, const CurveRange& range);

// What a column of a picture has of a curve.
struct CurveColumn {
  bool has_points = false;
  // A loss before it was not finite: no line leads here.
  bool after_gap = false;
  double first = 0;
  double last = 0;
  double lowest = 0;
  double highest = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  double mean = 0;
  int64_t points = 0;
};

// Sorts points, as they come, into columns of equal width over the steps from
// `first_step` to `last_step`, whatever the number of points.
class ColumnFiller {
 public:
  ColumnFiller(int64_t first_step, int64_t last_step, size_t columns)
      : first_step_(first_step), last_step_(last_step), columns_(columns) {}

  // What is not finite is a gap.
  void Add(int64_t step, double value);

  const std::vector<CurveColumn>& columns() const { return columns_; }

 private:
  int64_t first_step_;
  int64_t last_step_;
  std::vector<CurveColumn> columns_;
  bool after_gap_ = false;
};

// The curve in `columns` of equal width, whatever the number of its steps.
std::vector<CurveColumn> ColumnsOf(const Curve& curve, const CurveRange& range,
                                   size_t columns);

// The same of its evaluations, most columns of which have no point.
std::vector<CurveColumn> EvaluationColumnsOf(const Curve& curve,
                                             const CurveRange& range,
                                             size_t columns);

// Round numbers of [lowest, highest], about `count` of them, ascending: steps
// of 1, 2 or 5 times a power of ten.
std::vector<double> RoundTicks(double lowest, double highest, size_t count);

// A tick with as many digits as it needs to differ from its neighbours.
std::string TickText(double value, double distance);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_CURVE_H_
