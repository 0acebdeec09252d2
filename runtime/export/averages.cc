// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of masters are replaced by those of averages.
#include "runtime/export/averages.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

std::string TensorName(const planpb::Parameter& parameter,
                       absl::string_view slot) {
  return absl::StrCat(parameter.name(), "/", slot);
}

}  // namespace

absl::Status CheckAverages(const PlanView& plan) {
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place,
                     FindParameter(plan, parameter, kAverageSlot));
    if (place) {
      return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError(
      "expected a plan that averages parameters, got one that does not; "
      "compile "
      "it with accelc --ema=0.999, or write the parameters themselves with "
      "--export");
}

absl::Status CheckAverages(const Checkpoint& checkpoint) {
  const std::string ending = absl::StrCat("/", kAverageSlot);
  const bool has_some =
      std::any_of(checkpoint.tensors().begin(), checkpoint.tensors().end(),
                  [&ending](const auto& tensor) {
                    const std::string& name = tensor.first;
                    return name.size() > ending.size() &&
                           name.compare(name.size() - ending.size(),
                                        ending.size(), ending) == 0;
                  });
  return has_some ? absl::OkStatus()
                  : absl::FailedPreconditionError(absl::StrCat(
                        "'", checkpoint.folder(),
                        "': expected averages of parameters, got none: the "
                        "plan that was trained keeps none (accelc --ema); "
                        "leave --ema out for the parameters themselves"));
}

ParameterReader ReadAveragesFrom(const PlanView& plan,
                                 const Executor& executor) {
  return [&plan, &executor](const planpb::Parameter& parameter,
                            const ParameterPlace& place, uint64_t first,
                            uint64_t elements,
                            absl::Span<std::byte> dst) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<ParameterPlace> average,
                     FindParameter(plan, parameter, kAverageSlot));
    return ReadParameter(executor, average.value_or(place), first, elements,
                         dst);
  };
}

ParameterReader ReadAveragesFrom(Checkpoint& checkpoint) {
  return
      [&checkpoint](const planpb::Parameter& parameter, const ParameterPlace&,
                    uint64_t first, uint64_t, absl::Span<std::byte> dst) {
        std::string name = TensorName(parameter, kAverageSlot);
        if (checkpoint.tensors().find(name) == checkpoint.tensors().end()) {
          name = TensorName(parameter, "master");
        }
        return checkpoint.Read(name, first, dst);
      };
}

}  // namespace accel::runtime
