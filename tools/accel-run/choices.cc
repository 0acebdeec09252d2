// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan says which schedule reads what.
#include "tools/accel-run/choices.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

using planpb::Hyperparameter;

const Hyperparameter* FindByName(const planpb::Manifest& manifest,
                                 const std::string& name) {
  for (const Hyperparameter& scalar : manifest.hyperparameters()) {
    if (scalar.name() == name) {
      return &scalar;
    }
  }
  return nullptr;
}

// By the settings, or as the plan was compiled.
double ValueInForce(const Hyperparameter& scalar,
                    const std::vector<Setting>& settings) {
  const auto found = std::find_if(
      settings.begin(), settings.end(),
      [&scalar](const Setting& each) { return each.name == scalar.name(); });
  return found == settings.end() ? scalar.default_value() : found->value;
}

std::vector<std::string> Listed(
    const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

absl::StatusOr<double> ParseChoice(const Hyperparameter& scalar,
                                   const std::string& text) {
  const std::vector<std::string> choices = Listed(scalar.choices());
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) {
    return static_cast<double>(found - choices.begin());
  }
  const std::optional<std::string> nearest = FindNearest(text, choices);
  return absl::InvalidArgumentError(absl::StrCat(
      "--set ", scalar.name(), ": expected ", ListChoices(choices), ", got '",
      text, "'",
      nearest ? absl::StrCat("; did you mean ", *nearest, "?") : ""));
}

absl::Status CheckSchedule(const planpb::Manifest& manifest,
                           const std::vector<Setting>& settings) {
  const Hyperparameter* schedule = FindByName(manifest, "schedule");
  if (schedule == nullptr || schedule->choices().empty()) {
    return absl::OkStatus();
  }
  const std::string kind =
      schedule->choices(static_cast<int>(ValueInForce(*schedule, settings)));
  runtime::ErrorList errors;
  for (const Setting& setting : settings) {
    const Hyperparameter& scalar = *FindByName(manifest, setting.name);
    const std::vector<std::string> readers = Listed(scalar.read_by_schedules());
    if (!readers.empty() &&
        std::find(readers.begin(), readers.end(), kind) == readers.end()) {
      errors.Add(absl::StrCat(
          "--set ", setting.name,
          ": expected --set schedule=", ListChoices(readers), " with it, got ",
          kind, "; without it the hyperparameter does nothing"));
    }
  }
  const Hyperparameter* decay = FindByName(manifest, "decay_steps");
  if (kind == "wsd" && decay != nullptr && ValueInForce(*decay, settings) < 1) {
    errors.Add(
        "--set schedule=wsd: expected the length of the decay with it, got "
        "none; for example --set decay_steps=200");
  }
  return errors.ToStatus("hyperparameters");
}

}  // namespace accel::tools
