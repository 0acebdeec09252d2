// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor of one rank, on any device: enqueues a function's instructions
// on the streams of the device, waits for them, and compares with other ranks
// what they have seen.
#ifndef ACCEL_RUNTIME_EXECUTOR_STEP_DRIVER_H_
#define ACCEL_RUNTIME_EXECUTOR_STEP_DRIVER_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/watchdog.h"
#include "runtime/data/dataset.h"
#include "runtime/device/device.h"
#include "runtime/executor/executor.h"
#include "runtime/executor/external_files.h"
#include "runtime/executor/fault_search.h"
#include "runtime/executor/instruction_issuer.h"
#include "runtime/executor/rank_state.h"
#include "runtime/executor/step_end.h"

namespace accel::runtime {

class StepDriver : public Executor, private StreamClient {
 public:
  // Proves the schedule and the memory of every function.
  static absl::Status Verify(const PlanView& plan, const MemoryLayout& layout);
  // Verifies schedule and memory of every function, then allocates, loads the
  // code and the constants.
  // Borrows: everything.
  // Requires: the data set was opened with DataSignature(plan.manifest()).
  static absl::StatusOr<std::unique_ptr<StepDriver>> Create(
      Vfs& vfs, const Plan& plan, Device& device, const Dataset& dataset,
      const ExecutorOptions& options);
  ~StepDriver() override;

  absl::Status Initialize(Restore restore = nullptr) override;
  absl::StatusOr<std::vector<double>> Run(planpb::FunctionRole role,
                                          int64_t step) override;
  absl::StatusOr<std::vector<double>> RunObservedStep(
      int64_t step, absl::FunctionRef<absl::Status()> observe) override;
  std::optional<std::chrono::nanoseconds> DataWait() const override;
  absl::StatusOr<ReplayReport> ReplayStep(int64_t step) override;
  absl::Status ReadBuffer(uint32_t buffer, uint64_t offset,
                          absl::Span<std::byte> dst) const override;
  absl::Status WriteBuffer(uint32_t buffer, uint64_t offset,
                           absl::Span<const std::byte> src) override;
  absl::StatusOr<OwnedRange> HeldElements(
      const SlotTensor& slot) const override;
  absl::Status ReadHeld(const SlotTensor& slot, uint64_t first,
                        absl::Span<std::byte> dst) const override;
  absl::Status WriteHeld(const SlotTensor& slot, uint64_t first,
                         absl::Span<const std::byte> src) override;
  absl::Status ReadTensor(const SlotTensor& slot, uint64_t first,
                          uint64_t elements,
                          absl::Span<std::byte> dst) const override;
  const MemoryLayout& layout() const override { return layout_; }
  int64_t iterations() const override { return batches_.batch().iterations(); }
  uint64_t PlannedBytes() const override { return layout_.TotalBytes(); }
  std::string Describe() const override;
  std::map<std::string, std::string> LibraryCalls() const override {
    return streams_->LibraryCalls();
  }

  // For who looks between instructions: one execution of an instruction of the
  // function, which is done when this returns. Instances come in the order of
  // FunctionView::Walk.
  absl::Status Execute(const FunctionView& function, int64_t step,
                       const Instance& instance);
  DeviceMemory& memory() { return *memory_; }

 private:
  // Who is called in front of an instruction of a function, or behind the last
  // one, while the streams rest.
  struct Observer {
    uint32_t point;
    absl::FunctionRef<absl::Status()> observe;
  };

  StepDriver(const Plan& plan, const Dataset& dataset,
             const ExecutorOptions& options, int threads, MemoryLayout layout,
             const BatchPlan& batch, ExternalFiles files);

  absl::Status Load(Device& device);

  // The function of a role that this rank runs; null if there is none.
  const FunctionView* FindFunction(planpb::FunctionRole role) const {
    return plan_.view().FindFunction(role, layout_.binding());
  }
  absl::Status RunFunction(
      const FunctionView& function, int64_t step,
      const std::optional<Observer>& observer = std::nullopt);
  // What the function of `role` is run on.
  const MicrobatchReader& BatchesOf(planpb::FunctionRole role) const {
    return role == planpb::FUNCTION_EVALUATE && evaluation_ ? *evaluation_
                                                            : batches_;
  }
  // Of the loop of the function that runs.
  uint64_t Repetitions() const {
    return static_cast<uint64_t>(context_.batches->batch().iterations());
  }
  // Counts what the step divides by, if the plan has a function that does, and
  // takes the step.
  absl::Status CountAndStep(
      int64_t step, const std::optional<Observer>& observer = std::nullopt);
  absl::Status EnqueueAll(const std::optional<Observer>& observer);
  absl::Status Synchronize();
  void Begin(const FunctionView& function, int64_t step);
  absl::Status ExecuteAlone(const Instance& instance);
  // Executes the instructions in front of `point` one by one.
  absl::Status Replay(const FunctionView& function, uint32_t point,
                      FaultSearch& search);
  // What a step changes besides its update: counters, and scales of tensors in
  // 8 bits.
  absl::Status ReadScalars(std::vector<std::byte>& bytes) const;
  absl::Status WriteScalars(const std::vector<std::byte>& bytes);
  absl::Status ForScalars(std::vector<std::byte>& bytes,
                          absl::FunctionRef<absl::Status(
                              uint32_t buffer, absl::Span<std::byte> part)>
                              use) const;
  // The step was given up, and did nothing.
  absl::Status UndoStep();
  // With other ranks: whether they have all taken this step.
  absl::StatusOr<std::vector<double>> FinishStep(int64_t step);

  void Begin(const Instance& instance) override;
  absl::Status Issue(const Instance& instance, Operations& operations) override;
  absl::Status Finish(const Instance& instance, Clock::time_point begin,
                      Clock::time_point end) override;
  void Waited(uint32_t event, const Instance& waiter,
              std::chrono::nanoseconds time) override;
  std::string Describe(const Instance& instance) const override;
  std::string DescribeWait(uint32_t event,
                           const Instance& waiter) const override;

  const Plan& plan_;
  const ExecutorOptions options_;
  const int threads_;
  const MemoryLayout layout_;
  const MicrobatchReader batches_;
  std::optional<MicrobatchReader> evaluation_;  // of the data to evaluate on
  const ExternalFiles files_;
  WeightLoader loader_;
  Watchdog watchdog_;
  IssueContext context_;
  std::vector<InstructionIssuer> issuers_;  // per stream
  const FunctionView* function_ = nullptr;  // the one that runs
  std::set<const FunctionView*> has_run_;
  StepEnd step_end_;
  std::vector<std::byte> scalars_before_;  // the step, if it can be given up
  bool is_replaying_ = false;
  // Of the function that runs; of all ranks once they have compared it. Written
  // by the thread that computes, or enqueues.
  std::chrono::nanoseconds data_wait_{0};
  absl::Status failure_;

  std::unique_ptr<DeviceCode> code_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<RankState> state_;
  // Last: they end before what they use.
  std::unique_ptr<StreamGroup> streams_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_STEP_DRIVER_H_
