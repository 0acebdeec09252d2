// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint has each parameter whole and in its own orientation, as a flat
// tensor of the same name.
#include "runtime/export/checkpoint_model.h"

#include "absl/strings/str_cat.h"
#include "runtime/checkpoint/restore.h"

namespace accel::runtime {

absl::Status CheckModelOf(const PlanView& plan, const Checkpoint& checkpoint) {
  return CheckTensorsFit(plan, checkpoint, /*parameters_only=*/true);
}

ParameterReader ReadFrom(Checkpoint& checkpoint) {
  return
      [&checkpoint](const planpb::Parameter& parameter, const ParameterPlace&,
                    uint64_t first, uint64_t, absl::Span<std::byte> dst) {
        return checkpoint.Read(absl::StrCat(parameter.name(), "/master"), first,
                               dst);
      };
}

}  // namespace accel::runtime
