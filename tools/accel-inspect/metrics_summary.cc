// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of metrics, and how they are shown.
#include "tools/accel-inspect/metrics_summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

struct Totals {
  int64_t tokens = 0;
  double seconds = 0;
  int64_t not_finite = 0;
  double median_rate = 0;  // tokens per second
};

Totals TotalsOf(const std::vector<MetricsStep>& steps) {
  Totals totals;
  std::vector<double> rates;
  for (const MetricsStep& step : steps) {
    totals.tokens += step.tokens;
    totals.seconds += step.seconds;
    totals.not_finite += std::isfinite(step.loss) ? 0 : 1;
    rates.push_back(step.TokensPerSecond());
  }
  totals.median_rate = MedianOf(std::move(rates));
  return totals;
}

std::string LossNumber(double loss) {
  return std::fabs(loss) < 1e5 ? absl::StrFormat("%.4f", loss)
                               : absl::StrFormat("%.4g", loss);
}

std::string LrText(const MetricRange& lr) {
  if (lr.first_step == 0) {
    return "not known";
  }
  return lr.lowest == lr.highest
             ? absl::StrFormat("%.3g", lr.last)
             : absl::StrFormat("%.3g at step %d, %.3g at step %d, highest %.3g",
                               lr.first, lr.first_step, lr.last, lr.last_step,
                               lr.highest);
}

std::string GradientText(const MetricRange& norm) {
  return norm.first_step == 0
             ? "not known"
             : absl::StrFormat("median %.4g, %.4g to %.4g, last %.4g",
                               norm.median, norm.lowest, norm.highest,
                               norm.last);
}

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json RangeJson(const MetricRange& range) {
  if (range.first_step == 0) {
    return nullptr;
  }
  return {{"first", range.first},     {"last", range.last},
          {"lowest", range.lowest},   {"lowest_step", range.lowest_step},
          {"highest", range.highest}, {"median", range.median}};
}

// As if they were steps.
MetricRange EvaluationRange(const MetricsRun& run) {
  std::vector<MetricsStep> losses;
  for (const MetricsEvaluation& evaluation : run.evaluations) {
    MetricsStep& step = losses.emplace_back();
    step.step = evaluation.step;
    step.loss = evaluation.loss;
  }
  return RangeOf(losses, &MetricsStep::loss);
}

}  // namespace

MetricRange RangeOf(const std::vector<MetricsStep>& steps,
                    double MetricsStep::* metric) {
  MetricRange range;
  std::vector<double> values;
  for (const MetricsStep& step : steps) {
    const double value = step.*metric;
    if (!std::isfinite(value)) {
      continue;
    }
    if (values.empty()) {
      range.first = range.lowest = range.highest = value;
      range.first_step = range.lowest_step = step.step;
    }
    if (value < range.lowest) {
      range.lowest = value;
      range.lowest_step = step.step;
    }
    range.highest = std::max(range.highest, value);
    range.last = value;
    range.last_step = step.step;
    values.push_back(value);
  }
  if (!values.empty()) {
    range.median = MedianOf(std::move(values));
  }
  return range;
}

std::string LossText(const MetricRange& loss) {
  if (loss.first_step == 0) {
    return "never finite";
  }
  std::string text =
      absl::StrFormat("%s at step %d, %s at step %d", LossNumber(loss.first),
                      loss.first_step, LossNumber(loss.last), loss.last_step);
  if (loss.lowest_step != loss.last_step) {
    absl::StrAppendFormat(&text, ", lowest %s at step %d",
                          LossNumber(loss.lowest), loss.lowest_step);
  }
  return text;
}

std::string LabelOf(const MetricsRun& run, const std::vector<MetricsRun>& all) {
  absl::string_view name = run.path;
  if (absl::ConsumeSuffix(&name, "/metrics.jsonl") && name.empty()) {
    name = "/";
  }
  const bool alone =
      std::count_if(all.begin(), all.end(), [&run](const MetricsRun& other) {
        return other.path == run.path;
      }) == 1;
  return alone ? std::string(name) : absl::StrCat(name, " ", run.id);
}

std::string SummaryText(const MetricsRun& run, const std::string& label) {
  const Totals totals = TotalsOf(run.steps);
  const auto nanoseconds = std::chrono::nanoseconds(
      static_cast<int64_t>(std::min(totals.seconds, 9e9) * 1e9));
  const int64_t count = static_cast<int64_t>(run.steps.size());
  std::string text =
      absl::StrCat(label, ": ", runtime::Amount(count, "step"), ", ",
                   run.steps.front().time, " to ", run.steps.back().time, "\n");
  const auto row = [&text](absl::string_view name, absl::string_view value) {
    absl::StrAppendFormat(&text, "  %-13s  %s\n", name, value);
  };
  row("loss", LossText(RangeOf(run.steps, &MetricsStep::loss)));
  if (!run.evaluations.empty()) {
    row("evaluation", LossText(EvaluationRange(run)));
  }
  if (totals.not_finite > 0) {
    row("not finite", absl::StrCat("the loss of ",
                                   runtime::Amount(totals.not_finite, "step")));
  }
  row("lr", LrText(RangeOf(run.steps, &MetricsStep::lr)));
  row("grad norm", GradientText(RangeOf(run.steps, &MetricsStep::grad_norm)));
  row("tokens/s",
      absl::StrCat("median ", runtime::FormatSi(totals.median_rate), ", ",
                   runtime::FormatCount(totals.tokens), " tokens in all"));
  row("time in steps",
      absl::StrCat(runtime::FormatDuration(nanoseconds), ", ",
                   runtime::FormatDuration(nanoseconds / count), " a step"));
  if (std::isfinite(run.steps.back().epoch)) {
    row("epochs", absl::StrFormat("%.4g", run.steps.back().epoch));
  }
  return text;
}

std::string SummaryJson(const std::vector<MetricsRun>& runs) {
  Json json = {{"version", 1}, {"runs", Json::array()}};
  for (const MetricsRun& run : runs) {
    const Totals totals = TotalsOf(run.steps);
    json["runs"].push_back(
        {{"run", run.id},
         {"file", run.path},
         {"steps", run.steps.size()},
         {"first_time", run.steps.front().time},
         {"last_time", run.steps.back().time},
         {"loss", RangeJson(RangeOf(run.steps, &MetricsStep::loss))},
         {"lr", RangeJson(RangeOf(run.steps, &MetricsStep::lr))},
         {"grad_norm", RangeJson(RangeOf(run.steps, &MetricsStep::grad_norm))},
         {"not_finite_steps", totals.not_finite},
         {"tokens", totals.tokens},
         {"tokens_per_second_median", totals.median_rate},
         {"step_seconds_total", totals.seconds},
         {"epoch", NumberOrNull(run.steps.back().epoch)}});
    if (!run.evaluations.empty()) {
      json["runs"].back()["evaluations"] = run.evaluations.size();
      json["runs"].back()["eval_loss"] = RangeJson(EvaluationRange(run));
    }
  }
  return json.dump(2);
}

}  // namespace accel::tools
