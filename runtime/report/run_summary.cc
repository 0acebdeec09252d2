// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects what the final table says and lays it out.
#include "runtime/report/run_summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/format.h"

namespace accel::runtime {
namespace {

std::string BytesText(uint64_t bytes) {
  return bytes < 1024 ? FormatBytes(bytes)
                      : absl::StrCat(FormatBytes(bytes), " (",
                                     FormatCount(static_cast<int64_t>(bytes)),
                                     " bytes)");
}

// What has diverged would fill the line with digits.
std::string NumberText(double loss) {
  return std::fabs(loss) < 1e5 || !std::isfinite(loss)
             ? absl::StrFormat("%.4f", loss)
             : absl::StrFormat("%.4g", loss);
}

std::string TimeText(int64_t ns) {
  return FormatDuration(std::chrono::nanoseconds(ns));
}

}  // namespace

void RunSummary::AddStep(const StepMetrics& metrics) {
  if (steps_ == 0) {
    first_ = metrics;
  }
  if (std::isfinite(metrics.loss) &&
      (best_step_ == 0 || metrics.loss < best_loss_)) {
    best_loss_ = metrics.loss;
    best_step_ = metrics.step;
  }
  last_ = metrics;
  ++steps_;
  tokens_ += metrics.tokens;
  ns_ += metrics.step_ns;
}

void RunSummary::AddRow(std::string label, std::string value) {
  rows_.emplace_back(std::move(label), std::move(value));
}

std::string RunSummary::MeasuredText() const {
  std::string text = BytesText(measured_peak_);
  if (planned_peak_ > 0) {
    const double planned = static_cast<double>(planned_peak_);
    const double more =
        (static_cast<double>(measured_peak_) - planned) / planned * 100;
    absl::StrAppendFormat(&text, ", %.1f %% %s than planned", std::fabs(more),
                          more < 0 ? "less" : "more");
  }
  return text;
}

std::string RunSummary::LossText() const {
  std::string text =
      absl::StrFormat("%s at step %d, %s at step %d", NumberText(first_.loss),
                      first_.step, NumberText(last_.loss), last_.step);
  if (best_step_ != 0 && best_step_ != last_.step) {
    absl::StrAppendFormat(&text, ", lowest %s at step %d",
                          NumberText(best_loss_), best_step_);
  }
  return text;
}

std::string RunSummary::Table() const {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("steps", FormatCount(steps_));
  if (steps_ > 0) {
    if (last_.skipped_steps > 0) {
      rows.emplace_back("steps skipped",
                        absl::StrCat(FormatCount(last_.skipped_steps),
                                     ", as they were not finite"));
    }
    if (last_.loss_scale) {
      rows.emplace_back("loss scale", absl::StrFormat("%g in the last step",
                                                      *last_.loss_scale));
    }
    rows.emplace_back("loss", LossText());
    rows.emplace_back("tokens", FormatCount(tokens_));
    rows.emplace_back(
        "time in steps",
        absl::StrCat(TimeText(ns_), ", ", TimeText(ns_ / steps_), " a step"));
  }
  if (ns_ > 0) {
    rows.emplace_back("tokens per second",
                      FormatSi(static_cast<double>(tokens_) * 1e9 /
                               static_cast<double>(ns_)));
  }
  if (planned_peak_ > 0) {
    rows.emplace_back("peak memory planned", BytesText(planned_peak_));
  }
  if (measured_peak_ > 0) {
    rows.emplace_back("peak memory measured", MeasuredText());
  }
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  size_t width = 0;
  for (const auto& [label, value] : rows) {
    width = std::max(width, label.size());
  }
  std::string table;
  for (const auto& [label, value] : rows) {
    absl::StrAppendFormat(&table, "  %-*s  %s\n", static_cast<int>(width),
                          label, value);
  }
  return table;
}

}  // namespace accel::runtime
