// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass over the instructions.
#include "runtime/executor/initial_parameters.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace accel::runtime {
namespace {

std::set<uint32_t> FindMasters(const planpb::Manifest& manifest) {
  std::set<uint32_t> masters;
  for (const planpb::Bucket& bucket : manifest.buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        if (slot.name() == "master") {
          masters.insert(slot.buffer());
        }
      }
    }
  }
  return masters;
}

}  // namespace

absl::StatusOr<uint32_t> FindFirstUseOfParameters(
    const PlanView& plan, const FunctionView& function) {
  const std::set<uint32_t> masters = FindMasters(plan.manifest());
  auto first = static_cast<uint32_t>(function.instructions().size());
  for (const planpb::Instruction& instruction : function.instructions()) {
    for (const planpb::Access& access : instruction.accesses()) {
      if (masters.count(access.buffer()) == 0) {
        continue;
      }
      if (access.mode() == planpb::Access::MODE_READ) {
        first = std::min(first, instruction.id());
      } else if (instruction.id() >= first) {
        return absl::FailedPreconditionError(absl::StrCat(
            plan.Describe(function, instruction),
            " writes parameters after others have been computed of them, so "
            "they cannot be replaced by those of a checkpoint; compile the "
            "plan again"));
      }
    }
  }
  return first;
}

}  // namespace accel::runtime
