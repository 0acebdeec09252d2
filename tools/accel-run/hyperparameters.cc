// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing of --set against a plan's hyperparameters.
#include "tools/accel-run/hyperparameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/parameters.h"
#include "tools/accel-run/choices.h"
#include "tools/accel-run/familiar_options.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

using planpb::Hyperparameter;
using runtime::FormatRoundTrip;

const Hyperparameter* Find(const planpb::Manifest& manifest,
                           absl::string_view name) {
  for (const Hyperparameter& scalar : manifest.hyperparameters()) {
    if (scalar.name() == name) {
      return &scalar;
    }
  }
  return nullptr;
}

std::vector<std::string> Names(const planpb::Manifest& manifest) {
  std::vector<std::string> names;
  for (const Hyperparameter& scalar : manifest.hyperparameters()) {
    names.push_back(scalar.name());
  }
  return names;
}

// Of an unknown name: whether the compiler has decided it, whether a flag of
// accel-run sets it, or what was probably meant.
absl::Status UnknownName(const planpb::Manifest& manifest,
                         const std::string& text, const std::string& name) {
  if (const std::string answer = AnswerFor(manifest, name); !answer.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set ", text, ": ", answer));
  }
  const std::vector<std::string> names = Names(manifest);
  const std::optional<std::string> nearest = FindNearest(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "--set ", text, ": expected one of ", absl::StrJoin(names, ", "),
      ", got '", name, "'",
      nearest ? absl::StrCat("; did you mean ", *nearest, "?") : ""));
}

// A bound of the hyperparameter; of whole numbers without an exponent.
std::string BoundText(const Hyperparameter& scalar, double bound) {
  constexpr double kExact = 9007199254740992;  // 2^53
  return scalar.integer() && std::fabs(bound) <= kExact
             ? absl::StrCat(static_cast<int64_t>(bound))
             : FormatRoundTrip(bound);
}

absl::Status CheckValue(const Hyperparameter& scalar, double value,
                        absl::string_view text) {
  const bool bounded = scalar.minimum() <= scalar.maximum();
  if (!std::isfinite(value) ||
      (scalar.integer() && value != std::floor(value)) ||
      (bounded && (value < scalar.minimum() || value > scalar.maximum()))) {
    std::string expected = scalar.integer() ? "a whole number" : "a number";
    if (bounded && scalar.maximum() >= std::numeric_limits<double>::max()) {
      absl::StrAppend(&expected, " of at least ",
                      BoundText(scalar, scalar.minimum()));
    } else if (bounded) {
      absl::StrAppend(&expected, " between ",
                      BoundText(scalar, scalar.minimum()), " and ",
                      BoundText(scalar, scalar.maximum()));
    }
    return absl::InvalidArgumentError(absl::StrCat("--set ", scalar.name(),
                                                   ": expected ", expected,
                                                   ", got '", text, "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Setting> Resolve(const planpb::Manifest& manifest,
                                const std::string& text) {
  const std::vector<std::string> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (parts.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--set ", text, ": expected NAME=VALUE, for example ", "lr=1e-4"));
  }
  const Hyperparameter* scalar = Find(manifest, parts[0]);
  if (scalar == nullptr) {
    return UnknownName(manifest, text, parts[0]);
  }
  Setting setting{parts[0], scalar->buffer(), 0};
  if (!scalar->choices().empty()) {
    ASSIGN_OR_RETURN(setting.value, ParseChoice(*scalar, parts[1]));
    return setting;
  }
  if (!absl::SimpleAtod(parts[1], &setting.value)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--set ", parts[0], ": expected a number, got '", parts[1], "'"));
  }
  RETURN_IF_ERROR(CheckValue(*scalar, setting.value, parts[1]));
  return setting;
}

}  // namespace

absl::StatusOr<std::vector<Setting>> ResolveSettings(
    const planpb::Manifest& manifest, const std::vector<std::string>& set,
    int64_t steps) {
  std::vector<Setting> settings;
  runtime::ErrorList errors;
  const auto is_set = [&settings](absl::string_view name) {
    return std::any_of(settings.begin(), settings.end(),
                       [name](const Setting& s) { return s.name == name; });
  };
  for (const std::string& text : set) {
    auto setting = Resolve(manifest, text);
    errors.Add(setting.status());
    if (!setting.ok()) {
      continue;
    }
    if (is_set(setting->name)) {
      errors.Add(absl::StrCat("--set ", setting->name,
                              ": expected one value, got several"));
    }
    settings.push_back(*std::move(setting));
  }
  RETURN_IF_ERROR(errors.ToStatus("hyperparameters"));
  RETURN_IF_ERROR(CheckSchedule(manifest, settings));
  for (const Hyperparameter& scalar : manifest.hyperparameters()) {
    if (scalar.defaults_to_steps() && !is_set(scalar.name())) {
      settings.push_back(
          {scalar.name(), scalar.buffer(), static_cast<double>(steps)});
    }
  }
  return settings;
}

absl::Status ApplySettings(const std::vector<Setting>& settings,
                           runtime::Executor& executor) {
  for (const Setting& setting : settings) {
    RETURN_IF_ERROR(
        runtime::SetScalar(executor, setting.buffer, setting.value));
  }
  return absl::OkStatus();
}

}  // namespace accel::tools
