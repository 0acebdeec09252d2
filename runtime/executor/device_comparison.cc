// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two drivers in step.
#include "runtime/executor/device_comparison.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/instruction_names.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<DeviceComparison>> DeviceComparison::Create(
    Vfs& vfs, const Plan& plan, Device& reference, Device& tested,
    const Dataset& dataset, const ExecutorOptions& options) {
  auto comparison = absl::WrapUnique(new DeviceComparison(plan));
  if (!plan.manifest().kernels().empty()) {
    ASSIGN_OR_RETURN(comparison->variant_, tested.ChooseVariant(plan.view()));
  }
  ASSIGN_OR_RETURN(comparison->reference_,
                   StepDriver::Create(vfs, plan, reference, dataset, options));
  ASSIGN_OR_RETURN(comparison->tested_,
                   StepDriver::Create(vfs, plan, tested, dataset, options));
  return comparison;
}

absl::Status DeviceComparison::Run(planpb::FunctionRole role, int64_t step) {
  const FunctionView* const function =
      plan_.view().FindFunction(role, reference_->layout().binding());
  if (function == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan has no function to ", RoleName(role)));
  }
  const auto repetitions = static_cast<uint64_t>(reference_->iterations());
  return function->Walk(
      repetitions, [&](const Instance& instance) -> absl::Status {
        RETURN_IF_ERROR(reference_->Execute(*function, step, instance));
        RETURN_IF_ERROR(tested_->Execute(*function, step, instance));
        return Compare(*function, instance);
      });
}

std::string DeviceComparison::NameOf(
    const planpb::Instruction& instruction) const {
  if (instruction.has_launch()) {
    return plan_.manifest()
        .kernels(static_cast<int>(instruction.launch().kernel()))
        .name();
  }
  return absl::StrCat("(", instruction.name(), ")");
}

const planpb::LibraryCall* DeviceComparison::CallFor(
    const planpb::Instruction& instruction) const {
  if (!instruction.has_launch()) {
    return nullptr;
  }
  const planpb::KernelEntry& entry =
      plan_.manifest()
          .kernels(static_cast<int>(instruction.launch().kernel()))
          .entries(variant_);
  return entry.has_call() ? &entry.call() : nullptr;
}

absl::Status DeviceComparison::Compare(const FunctionView& function,
                                       const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  ComparedKernel& kernel = kernels_[NameOf(instruction)];
  const planpb::LibraryCall* const call = CallFor(instruction);
  kernel.calls_library = call != nullptr;
  kernel.uses_tf32 =
      call != nullptr && (call->product().tf32() || call->convolution().tf32());
  kernel.uses_fp8 = call != nullptr && call->has_product() &&
                    ByteWidth(*ToDType(call->product().lhs().dtype())) == 1;
  ++kernel.executions;
  const std::string where =
      absl::StrCat(plan_.view().Describe(function, instruction), ", iteration ",
                   instance.iteration);
  for (const planpb::Access& access : instruction.accesses()) {
    // A workspace holds whatever a kernel likes.
    if (access.mode() != planpb::Access::MODE_READ &&
        plan_.view().buffer(access.buffer()).memory_class() !=
            planpb::CLASS_WORKSPACE) {
      RETURN_IF_ERROR(CompareAccess(where, access, instance.iteration, kernel));
    }
  }
  return absl::OkStatus();
}

absl::Status DeviceComparison::CompareAccess(const std::string& where,
                                             const planpb::Access& access,
                                             uint64_t iteration,
                                             ComparedKernel& kernel) {
  const planpb::Buffer& buffer = plan_.view().buffer(access.buffer());
  const ByteRange range = reference_->layout().RangeOf(access, iteration);
  const ByteRange own = tested_->layout().RangeOf(access, iteration);
  expected_.resize(range.size());
  got_.resize(own.size());
  RETURN_IF_ERROR(reference_->memory().Read(range, absl::MakeSpan(expected_)));
  RETURN_IF_ERROR(tested_->memory().Read(own, absl::MakeSpan(got_)));
  const ElementComparison compared =
      CompareElements(*ToDType(buffer.dtype()), expected_, got_,
                      kernel.uses_tf32 || kernel.uses_fp8);
  kernel.elements.elements += compared.elements;
  kernel.elements.different += compared.different;
  if (compared.worst > kernel.elements.worst) {
    kernel.elements.worst = compared.worst;
    kernel.worst = absl::StrCat(where, ", buffer '", buffer.name(), "'");
  }
  return compared.different == 0 ? absl::OkStatus()
                                 : tested_->memory().Write(own, expected_);
}

}  // namespace accel::runtime
