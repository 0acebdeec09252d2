// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Line by line, field by field.
#include "tools/accel-inspect/metrics_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"

namespace accel::tools {
namespace {

using nlohmann::json;

// accel-run's lines have some 250 bytes.
constexpr size_t kMostLine = 4096;
constexpr size_t kIdDigits = 16;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

std::string FoundText(const json& value) {
  constexpr size_t kMost = 40;
  const std::string text = runtime::Printable(
      value.dump(-1, ' ', false, json::error_handler_t::replace));
  return text.size() <= kMost ? text
                              : absl::StrCat(text.substr(0, kMost), "...");
}

absl::Status Unexpected(const char* key, absl::string_view expected,
                        const json* found) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, " as '", key, "', got ",
                   found == nullptr ? "none" : FoundText(*found)));
}

const json* Find(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// null is what is not finite.
absl::StatusOr<double> NumberOrNull(const json& object, const char* key) {
  const json* value = Find(object, key);
  if (value != nullptr && value->is_null()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (value == nullptr || !value->is_number() ||
      !std::isfinite(value->get<double>())) {
    return Unexpected(key, "a number or null", value);
  }
  return value->get<double>();
}

absl::StatusOr<double> NotNegative(const json& object, const char* key) {
  const json* value = Find(object, key);
  if (value == nullptr || !value->is_number() || !(value->get<double>() >= 0) ||
      !std::isfinite(value->get<double>())) {
    return Unexpected(key, "a number of at least 0", value);
  }
  return value->get<double>();
}

// NaN: there is none.
absl::StatusOr<double> NotNegativeOrNone(const json& object, const char* key) {
  return Find(object, key) == nullptr ? std::numeric_limits<double>::quiet_NaN()
                                      : NotNegative(object, key);
}

absl::StatusOr<int64_t> Whole(const json& object, const char* key,
                              int64_t lowest) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const json* value = Find(object, key);
  if (value == nullptr || !value->is_number_unsigned() ||
      value->get<uint64_t>() > static_cast<uint64_t>(kMost) ||
      value->get<int64_t>() < lowest) {
    return Unexpected(key, absl::StrCat("a whole number of at least ", lowest),
                      value);
  }
  return value->get<int64_t>();
}

bool IsTime(absl::string_view text) {
  return runtime::ParseUtc(text).has_value();
}

bool IsId(absl::string_view text) {
  return text.size() == kIdDigits &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
                  (c >= 'a' && c <= 'f');
         });
}

absl::StatusOr<std::string> Text(const json& object, const char* key,
                                 bool (*is_right)(absl::string_view),
                                 absl::string_view expected) {
  const json* value = Find(object, key);
  if (value == nullptr || !value->is_string() ||
      !is_right(value->get_ref<const std::string&>())) {
    return Unexpected(key, expected, value);
  }
  return value->get<std::string>();
}

absl::StatusOr<json> ReadObject(absl::string_view line) {
  if (line.size() > kMostLine) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a line of at most ", kMostLine, " bytes, got ", line.size()));
  }
  json object = json::parse(line.begin(), line.end(), nullptr,
                            /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a JSON object, got ",
                     object.is_discarded() ? "no JSON" : FoundText(object)));
  }
  return object;
}

absl::StatusOr<MetricsStep> ReadStep(const json& object) {
  MetricsStep step;
  ASSIGN_OR_RETURN(step.step, Whole(object, "step", 1));
  ASSIGN_OR_RETURN(step.loss, NumberOrNull(object, "loss"));
  ASSIGN_OR_RETURN(step.lr, NumberOrNull(object, "lr"));
  ASSIGN_OR_RETURN(step.grad_norm, NumberOrNull(object, "grad_norm"));
  ASSIGN_OR_RETURN(step.tokens, Whole(object, "tokens", 0));
  ASSIGN_OR_RETURN(step.seconds, NotNegative(object, "step_seconds"));
  ASSIGN_OR_RETURN(step.epoch, NumberOrNull(object, "epoch"));
  ASSIGN_OR_RETURN(step.time, Text(object, "time", IsTime,
                                   "a time like \"2026-11-22T23:58:00.123Z\""));
  ASSIGN_OR_RETURN(step.peak_bytes, NotNegativeOrNone(object, "peak_bytes"));
  ASSIGN_OR_RETURN(step.skipped_steps,
                   NotNegativeOrNone(object, "skipped_steps"));
  ASSIGN_OR_RETURN(step.loss_scale, NotNegativeOrNone(object, "loss_scale"));
  ASSIGN_OR_RETURN(step.data_wait_seconds,
                   NotNegativeOrNone(object, "data_wait_seconds"));
  return step;
}

absl::StatusOr<MetricsEvaluation> ReadEvaluation(const json& object) {
  MetricsEvaluation evaluation;
  ASSIGN_OR_RETURN(evaluation.step, Whole(object, "step", 1));
  ASSIGN_OR_RETURN(evaluation.loss, NumberOrNull(object, "eval_loss"));
  ASSIGN_OR_RETURN(evaluation.tokens, Whole(object, "eval_tokens", 0));
  return evaluation;
}

// A run's lines lie together.
absl::StatusOr<MetricsRun*> FindRun(const json& object, const std::string& path,
                                    std::vector<MetricsRun>& runs) {
  ASSIGN_OR_RETURN(std::string id,
                   Text(object, "run", IsId, "16 hexadecimal digits"));
  if (!runs.empty() && runs.back().id == id) {
    return &runs.back();
  }
  for (const MetricsRun& run : runs) {
    if (run.id == id) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected the lines of run ", id,
                       " together, got another run's between them"));
    }
  }
  runs.push_back({std::move(id), path, {}, {}});
  return &runs.back();
}

// Steps count on. A run that goes on from a checkpoint begins with a later step
// than the first.
absl::Status AppendStep(MetricsStep step, MetricsRun& run) {
  const int64_t expected =
      run.steps.empty() ? step.step : run.steps.back().step + 1;
  if (step.step != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected step ", expected, ", got step ", step.step));
  }
  run.steps.push_back(std::move(step));
  return absl::OkStatus();
}

// One of each step, behind its line. A run that goes on may begin with that of
// the step before.
absl::Status AppendEvaluation(const MetricsEvaluation& evaluation,
                              MetricsRun& run) {
  const int64_t expected =
      run.steps.empty() ? evaluation.step : run.steps.back().step;
  const bool is_second =
      !run.evaluations.empty() && run.evaluations.back().step >= expected;
  if (evaluation.step != expected || is_second) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", is_second ? "one evaluation" : "an evaluation",
        " behind step ", expected, ", got ",
        is_second ? "another one"
                  : absl::StrCat("one behind step ", evaluation.step)));
  }
  run.evaluations.push_back(evaluation);
  if (!run.steps.empty()) {
    run.steps.back().has_eval = true;
    run.steps.back().eval_loss = evaluation.loss;
  }
  return absl::OkStatus();
}

absl::Status AppendLine(absl::string_view line, const std::string& path,
                        std::vector<MetricsRun>& runs) {
  ASSIGN_OR_RETURN(const json object, ReadObject(line));
  if (object.contains("eval_loss")) {
    ASSIGN_OR_RETURN(const MetricsEvaluation evaluation,
                     ReadEvaluation(object));
    ASSIGN_OR_RETURN(MetricsRun* const run, FindRun(object, path, runs));
    return AppendEvaluation(evaluation, *run);
  }
  ASSIGN_OR_RETURN(MetricsStep step, ReadStep(object));
  ASSIGN_OR_RETURN(MetricsRun* const run, FindRun(object, path, runs));
  return AppendStep(std::move(step), *run);
}

}  // namespace

absl::StatusOr<std::vector<MetricsRun>> ParseMetrics(const std::string& path,
                                                     absl::string_view text) {
  std::vector<MetricsRun> runs;
  const std::string shown = runtime::Printable(path);
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) {
      break;
    }
    const absl::Status status = AppendLine(text.substr(0, end), shown, runs);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(shown, ":", number, ": ", status.message()));
    }
    text.remove_prefix(end + 1);
  }
  runs.erase(
      std::remove_if(runs.begin(), runs.end(),
                     [](const MetricsRun& run) { return run.steps.empty(); }),
      runs.end());
  if (runs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", shown, "': expected a line for each step, got none; ",
                     "the run took no step"));
  }
  return runs;
}

std::string MetricsPath(runtime::Vfs& vfs, const std::string& path) {
  std::string inside = runtime::JoinPath(path, "metrics.jsonl");
  return vfs.Stat(inside).ok() ? inside : path;
}

absl::StatusOr<std::vector<MetricsRun>> ReadMetrics(runtime::Vfs& vfs,
                                                    const std::string& path) {
  const std::string file = MetricsPath(vfs, path);
  ASSIGN_OR_RETURN(const std::string text,
                   runtime::ReadWholeFile(vfs, file, kMostBytes));
  return ParseMetrics(file, text);
}

}  // namespace accel::tools
