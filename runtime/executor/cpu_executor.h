// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor of one rank on a CPU: the compute lane is the calling thread
// with its team, the communication lane one further thread.
#ifndef ACCEL_RUNTIME_EXECUTOR_CPU_EXECUTOR_H_
#define ACCEL_RUNTIME_EXECUTOR_CPU_EXECUTOR_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/data/dataset.h"
#include "runtime/device/cpu_device.h"
#include "runtime/executor/executor.h"
#include "runtime/executor/external_files.h"
#include "runtime/executor/instruction_runner.h"
#include "runtime/executor/lane_runner.h"

namespace accel::runtime {

// The fields of a plan's signature that come from the data set, in its order.
std::vector<SignatureField> DataSignature(const planpb::Manifest& manifest);

class CpuExecutor : public Executor {
 public:
  // Verifies schedule and memory of every function, then allocates, loads the
  // code and the constants.
  // Borrows: everything.
  // Requires: the data set was opened with DataSignature(plan.manifest()).
  static absl::StatusOr<std::unique_ptr<CpuExecutor>> Create(
      Vfs& vfs, const Plan& plan, CpuDevice& device, const Dataset& dataset,
      const ExecutorOptions& options);
  ~CpuExecutor() override;

  absl::Status Initialize() override;
  absl::StatusOr<std::vector<double>> Run(planpb::FunctionRole role,
                                          int64_t step) override;
  absl::StatusOr<std::vector<double>> RunObservedStep(
      int64_t step, absl::FunctionRef<absl::Status()> observe) override;
  absl::Status ReadBuffer(uint32_t buffer, uint64_t offset,
                          absl::Span<std::byte> dst) const override;
  absl::Status WriteBuffer(uint32_t buffer, uint64_t offset,
                           absl::Span<const std::byte> src) override;
  absl::Status ReadTensor(const SlotTensor& slot, uint64_t first,
                          uint64_t elements,
                          absl::Span<std::byte> dst) const override;
  const MemoryLayout& layout() const override { return layout_; }
  int64_t rounds() const override { return batch_.rounds(); }
  uint64_t PlannedBytes() const override { return layout_.TotalBytes(); }
  std::string Describe() const override;

 private:
  CpuExecutor(const Plan& plan, const CpuDevice& device,
              const ExecutorOptions& options, MemoryLayout layout,
              BatchPlan batch, ExternalFiles files);

  absl::Status Load(CpuDevice& device);
  absl::Status LoadConstants();
  absl::Status MakeLanes(const Dataset& dataset);
  // Which thread runs each lane, as LaneRunner wants it.
  std::vector<uint32_t> ThreadOfLanes(uint32_t compute) const;
  absl::Status Execute(const FunctionView& function, const Instance& instance);
  // Makes thread and context ready for a function of step `step`.
  void BeginFunction(int64_t step);
  absl::Status RunFunction(planpb::FunctionRole role, int64_t step);
  // With other ranks: whether they have all taken this step.
  absl::Status FinishStep(int64_t step);
  // What one rank holds, to all ranks; `dst` may be empty.
  absl::Status ShareTensor(const SlotTensor& slot, const SlotPiece& piece,
                           absl::Span<std::byte> dst) const;
  absl::StatusOr<ByteRange> PersistentRange(uint32_t buffer, uint64_t offset,
                                            uint64_t size) const;

  const Plan& plan_;
  const ThreadTeam& team_;
  const ThreadTeam single_;
  ExecutorOptions options_;
  MemoryLayout layout_;
  BatchPlan batch_;
  ExternalFiles files_;
  WeightLoader loader_;
  std::unique_ptr<CpuMemory> memory_;
  CpuProgram program_;
  std::unique_ptr<CpuContext> context_;
  std::vector<InstructionRunner> lanes_;  // per lane
  std::unique_ptr<LaneRunner> runner_;    // absent with --serial
  absl::Status failure_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_CPU_EXECUTOR_H_
