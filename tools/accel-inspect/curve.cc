// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns and ticks.
#include "tools/accel-inspect/curve.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace accel::tools {

static void Include(int64_t step, double loss, CurveRange& range) {
  range.last_step = std::max(range.last_step, step);
  if (!std::isfinite(loss)) {
    return;
  }
  range.lowest = range.empty ? loss : std::min(range.lowest, loss);
  range.highest = range.empty ? loss : std::max(range.highest, loss);
  range.empty = false;
}

CurveRange RangeOf(const std::vector<Curve>& curves) {
  CurveRange range;
  for (const Curve& curve : curves) {
    for (const MetricsStep& step : curve.run->steps) {
      Include(step.step, step.loss, range);
    }
    for (const MetricsEvaluation& evaluation : curve.run->evaluations) {
      Include(evaluation.step, evaluation.loss, range);
    }
  }
  if (!(range.highest > range.lowest)) {
    const double room = std::max(std::fabs(range.lowest) * 0.1, 1e-6);
    range.lowest -= room;
    range.highest += room;
  }
  return range;
}

double PlaceOf(double loss, const CurveRange& range) {
  // In halves: the difference of the largest numbers would not be finite.
  const double place =
      (range.highest / 2 - loss / 2) / (range.highest / 2 - range.lowest / 2);
  return std::clamp(place, 0.0, 1.0);
}

void ColumnFiller::Add(int64_t step, double value) {
  if (!std::isfinite(value)) {
    after_gap_ = true;
    return;
  }
  const double place =
      static_cast<double>(step - first_step_) /
      static_cast<double>(std::max<int64_t>(1, last_step_ - first_step_));
  const auto column = static_cast<size_t>(
      std::lround(place * static_cast<double>(columns_.size() - 1)));
  CurveColumn& entry = columns_[std::min(column, columns_.size() - 1)];
  if (!entry.has_points) {
    entry = {true, after_gap_, value, value, value, value, step, step, value};
  }
  after_gap_ = false;
  ++entry.points;
  // Of shares: the sum of the largest numbers would not be finite.
  const auto points = static_cast<double>(entry.points);
  entry.mean += value / points - entry.mean / points;
  entry.last = value;
  entry.lowest = std::min(entry.lowest, value);
  entry.highest = std::max(entry.highest, value);
  entry.first_step = std::min(entry.first_step, step);
  entry.last_step = std::max(entry.last_step, step);
}

std::vector<CurveColumn> ColumnsOf(const Curve& curve, const CurveRange& range,
                                   size_t columns) {
  ColumnFiller filler(range.first_step, range.last_step, columns);
  for (const MetricsStep& step : curve.run->steps) {
    filler.Add(step.step, step.loss);
  }
  return filler.columns();
}

std::vector<CurveColumn> EvaluationColumnsOf(const Curve& curve,
                                             const CurveRange& range,
                                             size_t columns) {
  ColumnFiller filler(range.first_step, range.last_step, columns);
  for (const MetricsEvaluation& evaluation : curve.run->evaluations) {
    filler.Add(evaluation.step, evaluation.loss);
  }
  return filler.columns();
}

std::vector<double> RoundTicks(double lowest, double highest, size_t count) {
  const double rough = highest / static_cast<double>(count) -
                       lowest / static_cast<double>(count);
  if (!(rough > 0) || !std::isfinite(rough)) {
    return {lowest};
  }
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double distance = power * (share <= 1   ? 1
                                   : share <= 2 ? 2
                                   : share <= 5 ? 5
                                                : 10);
  std::vector<double> ticks;
  const double first = std::ceil(lowest / distance);
  // Counted, as a sum of distances would drift; a distance that is lost beside
  // large values ends it.
  for (size_t i = 0; i <= 2 * count; ++i) {
    const double tick = (first + static_cast<double>(i)) * distance;
    if (!(tick <= highest) || (!ticks.empty() && tick <= ticks.back())) {
      break;
    }
    ticks.push_back(tick == 0 ? 0 : tick);  // no -0
  }
  return ticks.empty() ? std::vector<double>{lowest} : ticks;
}

std::string TickText(double value, double distance) {
  const double magnitude = std::max(std::fabs(value), std::fabs(distance));
  if (magnitude >= 1e6 || (distance > 0 && distance < 1e-4)) {
    return absl::StrFormat("%.3g", value);
  }
  const int decimals =
      distance > 0 && distance < 1
          ? static_cast<int>(std::ceil(-std::log10(distance) - 1e-9))
          : 0;
  return absl::StrFormat("%.*f", decimals, value);
}

}  // namespace accel::tools
