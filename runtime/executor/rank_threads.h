// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ranks of a run as threads of this process: each has a driver, a device
// and memory of its own, and a communicator joins them. To the caller they are
// one executor.
#ifndef ACCEL_RUNTIME_EXECUTOR_RANK_THREADS_H_
#define ACCEL_RUNTIME_EXECUTOR_RANK_THREADS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/base/worker_threads.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/step_driver.h"

namespace accel::runtime {

struct RankThreadsOptions {
  int ranks = 1;
  int threads_per_rank = 1;
  // Of every rank; binding and communicator are set here.
  ExecutorOptions executor;
  // Makes each rank's device.
  std::function<absl::StatusOr<std::unique_ptr<Device>>(Vfs&,
                                                        const DeviceOptions&)>
      create_device = CreateDevice;
};

// The first rank that fails ends the others; its error is the one returned, and
// names it.
//
// Threads: as Executor says; each rank lives on a thread of its own.
class RankThreads : public Executor {
 public:
  // Borrows: everything.
  // Requires: at least one rank.
  static absl::StatusOr<std::unique_ptr<RankThreads>> Create(
      Vfs& vfs, const Plan& plan, const Dataset& dataset,
      const RankThreadsOptions& options);
  ~RankThreads() override;

  absl::Status Initialize(Restore restore = nullptr) override;
  // The metrics of rank 0; those that are reduced are the same on all ranks.
  absl::StatusOr<std::vector<double>> Run(planpb::FunctionRole role,
                                          int64_t step) override;
  // `observe` is called on the thread of rank 0, while all ranks stand where
  // the gradients are complete, and may read buffers and tensors.
  absl::StatusOr<std::vector<double>> RunObservedStep(
      int64_t step, absl::FunctionRef<absl::Status()> observe) override;
  // The same of all ranks.
  std::optional<std::chrono::nanoseconds> DataWait() const override {
    return ranks_.front().executor->DataWait();
  }
  absl::StatusOr<ReplayReport> ReplayStep(int64_t step) override;
  // From the ranks that hold it.
  absl::Status ReadTensor(const SlotTensor& slot, uint64_t first,
                          uint64_t elements,
                          absl::Span<std::byte> dst) const override;
  // All of them: the ranks of this process are all ranks.
  absl::StatusOr<OwnedRange> HeldElements(
      const SlotTensor& slot) const override;
  absl::Status ReadHeld(const SlotTensor& slot, uint64_t first,
                        absl::Span<std::byte> dst) const override;
  // To every rank what it holds of them.
  absl::Status WriteHeld(const SlotTensor& slot, uint64_t first,
                         absl::Span<const std::byte> src) override;
  // Of rank 0.
  absl::Status ReadBuffer(uint32_t buffer, uint64_t offset,
                          absl::Span<std::byte> dst) const override;
  // On every rank.
  absl::Status WriteBuffer(uint32_t buffer, uint64_t offset,
                           absl::Span<const std::byte> src) override;
  // Of rank 0.
  const MemoryLayout& layout() const override;
  int64_t iterations() const override;
  uint64_t PlannedBytes() const override;
  std::string Describe() const override;
  std::map<std::string, std::string> LibraryCalls() const override {
    return ranks_.front().executor->LibraryCalls();
  }

 private:
  using Job = absl::FunctionRef<absl::Status(int rank)>;
  using StepJob = absl::FunctionRef<absl::StatusOr<std::vector<double>>(
      StepDriver& executor, int rank)>;

  struct Rank {
    std::unique_ptr<Device> device;
    std::unique_ptr<Communicator> communicator;
    std::unique_ptr<StepDriver> executor;
  };

  RankThreads(const PlanView& plan, int ranks) : plan_(plan), ranks_(ranks) {}

  // Runs `job` on the threads of ranks [0, count) and waits for all of them;
  // RunOn returns what has ended the group, if something has.
  void Run(int count, WorkerThreads::Job job) const;
  absl::Status RunOn(int count, Job job) const;
  absl::Status RunOnAll(Job job) const {
    return RunOn(static_cast<int>(ranks_.size()), job);
  }
  void RunRank(int rank, Job job) const;
  // Waits, on the thread of `rank`, until all ranks have come here.
  absl::Status Meet(int rank, absl::string_view name) const;
  // Metrics of rank 0.
  absl::StatusOr<std::vector<double>> RunStepWith(StepJob run);

  const PlanView& plan_;
  std::vector<Rank> ranks_;
  mutable std::mutex mutex_;
  // Guarded by mutex_: the first rank that failed by itself, and what ended the
  // group.
  mutable absl::Status failure_;
  mutable absl::Status group_failure_;
  // Last: they end before what they use.
  std::unique_ptr<WorkerThreads> threads_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_RANK_THREADS_H_
