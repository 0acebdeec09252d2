// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan whose every index, range and size has been checked. Whoever holds a
// PlanView may follow its references without asking again.
#ifndef ACCEL_RUNTIME_PLAN_VALIDATE_PLAN_VIEW_H_
#define ACCEL_RUNTIME_PLAN_VALIDATE_PLAN_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/plan/schema/plan.pb.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// One execution of an instruction.
struct Instance {
  const planpb::Instruction* instruction = nullptr;
  uint64_t iteration = 0;  // of the repeat that holds it; 0 outside
};

// A function with its instructions and what follows from them.
// Borrows: the manifest's Function.
class FunctionView {
 public:
  // Checks repeats and events; PlanView checks the rest.
  static absl::StatusOr<FunctionView> Create(
      const planpb::Function& function,
      std::vector<planpb::Instruction> instructions);

  const std::string& name() const { return function_->name(); }
  planpb::FunctionRole role() const { return function_->role(); }
  const planpb::Function& function() const { return *function_; }
  const std::vector<planpb::Instruction>& instructions() const {
    return instructions_;
  }
  uint32_t event_count() const { return function_->events(); }

  // The position of the repeat whose body holds instruction `id`, or nothing.
  std::optional<uint32_t> RepeatOf(uint32_t id) const;
  // The instruction that signals an event.
  uint32_t SignallerOf(uint32_t event) const { return signallers_[event]; }

  // The count that `wait` of instruction `waiter` waits for in `iteration`, if
  // repeats run `repetitions` times.
  uint64_t RequiredCount(const planpb::Wait& wait, uint32_t waiter,
                         uint64_t iteration, uint64_t repetitions) const;

  // Calls `visit` for every execution in program order, repeats unrolled. The
  // repeat instructions themselves are left out. Stops at the first error.
  absl::Status Walk(
      uint64_t repetitions,
      absl::FunctionRef<absl::Status(const Instance&)> visit) const;

 private:
  FunctionView(const planpb::Function& function,
               std::vector<planpb::Instruction> instructions);

  absl::Status FindRepeats();
  absl::Status FindSignallers();
  absl::Status CheckWaits() const;

  const planpb::Function* function_;
  std::vector<planpb::Instruction> instructions_;
  std::vector<uint32_t> repeat_plus_one_;  // per instruction
  std::vector<uint32_t> signallers_;       // per event
};

class PlanView {
 public:
  // `instructions` holds those of manifest.functions, in that order. Errors
  // name the message at fault: "buffer 3 ('x'): expected ..., got ...".
  static absl::StatusOr<PlanView> Create(
      planpb::Manifest manifest,
      std::vector<std::vector<planpb::Instruction>> instructions);

  PlanView(PlanView&&) = default;
  PlanView& operator=(PlanView&&) = default;

  const planpb::Manifest& manifest() const { return *manifest_; }
  absl::Span<const FunctionView> functions() const { return functions_; }
  // The one that `rank` runs, a run's first rank if none is given. Null if
  // there is none; those that initialize and step are always there.
  const FunctionView* FindFunction(planpb::FunctionRole role,
                                   const RankBinding& rank = {}) const;
  // The one that steps, or, of a plan that answers, the one that does that.
  const FunctionView& MainFunction() const;
  uint32_t IndexOf(const FunctionView& function) const {
    return static_cast<uint32_t>(&function - functions_.data());
  }
  // By the name that people see.
  const FunctionView* FindFunctionNamed(absl::string_view name) const;
  std::optional<uint32_t> FindMetric(absl::string_view name) const;

  const planpb::Buffer& buffer(uint32_t index) const {
    return manifest_->buffers(static_cast<int>(index));
  }
  // Of a kernel, at most.
  uint32_t MostArguments() const;
  // "instruction 12 of 'step' (launch 'matmul_64x64x64_0', stream 'compute')".
  std::string Describe(const FunctionView& function,
                       const planpb::Instruction& instruction) const;

 private:
  explicit PlanView(planpb::Manifest manifest);

  // On the heap, so that moving a view moves no message that others refer to.
  std::unique_ptr<const planpb::Manifest> manifest_;
  std::vector<FunctionView> functions_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VALIDATE_PLAN_VIEW_H_
