// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes single instructions on a CPU: what each kind does, on which memory,
// with which code. When is the business of lanes.
#ifndef ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_
#define ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/comm/communicator.h"
#include "runtime/data/dataset.h"
#include "runtime/device/cpu_device.h"
#include "runtime/executor/batch_plan.h"
#include "runtime/executor/weight_loader.h"
#include "runtime/plan/visitor.h"

namespace accel::runtime {

// What the lanes of one executor share. Nothing here changes during a function
// but what the instructions themselves write.
struct CpuContext {
  const PlanView& plan;
  const MemoryLayout& layout;
  const CpuMemory& memory;
  const CpuProgram& program;
  const WeightLoader& loader;
  const Dataset& dataset;
  const BatchPlan& batch;
  Communicator* communicator = nullptr;  // null for a rank alone
  std::chrono::nanoseconds collective_delay{0};
  int64_t seed = 0;
  // Per field of the plan's signature, its index in the data set's.
  std::vector<std::optional<size_t>> dataset_fields;

  int64_t step = 0;
  std::vector<double> metrics;  // by index; each written by one instruction
};

// Of one lane.
//
// Threads: Run by one thread at a time.
class InstructionRunner : private InstructionVisitor {
 public:
  // `team` runs kernels.
  // Borrows: both.
  InstructionRunner(CpuContext& context, const ThreadTeam& team);

  // Allocates nothing unless it fails or loads weights.
  absl::Status Run(const Instance& instance);

 private:
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Launch& launch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fetch& fetch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Repeat& repeat) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::ReadMetric& metric) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Load& load) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fill& fill) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Copy& copy) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Collective& collective) override;

  // The bytes of access `access` in the current iteration.
  absl::Span<std::byte> Bytes(const planpb::Instruction& instruction,
                              uint32_t access) const;
  absl::Status RunCollective(const planpb::Instruction& instruction,
                             const planpb::Collective& collective) const;
  absl::Status FetchField(uint32_t field, int64_t round,
                          absl::Span<std::byte> dst) const;
  void FillBuiltin(const planpb::SignatureField& field, int64_t round,
                   absl::Span<std::byte> dst) const;

  CpuContext& context_;
  const ThreadTeam& team_;
  uint64_t iteration_ = 0;
  std::vector<void*> arguments_;  // per thread, the pointers of one launch
};

// Whether ranks can share the buffers that the plan puts into shared memory.
absl::Status CheckSharedSpace(const PlanView& plan);

// Whether the CPU executor can run the function on this layout: what needs
// ranks, sizes or lanes that PlanView does not know.
absl::Status CheckRunnable(const PlanView& plan, const FunctionView& function,
                           const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_
