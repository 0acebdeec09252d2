// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function's lanes side by side: each lane takes its instructions in
// order, waits for the events they wait for, and signals theirs. What an
// instruction does is the caller's business.
#ifndef ACCEL_RUNTIME_EXECUTOR_LANE_RUNNER_H_
#define ACCEL_RUNTIME_EXECUTOR_LANE_RUNNER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/deadline.h"
#include "runtime/base/worker_threads.h"
#include "runtime/plan/plan_view.h"

namespace accel::runtime {

// Invariants
//   1. Each event's count is changed by one lane only, the one of its
//   signaller.
//   2. The first error of any lane ends all of them and every later Run.
//
// Threads: Run by one thread at a time, the one that made the runner.
class LaneRunner {
 public:
  using Execute = absl::FunctionRef<absl::Status(const FunctionView& function,
                                                 const Instance& instance)>;

  // `threads` says for each lane which thread runs it: 0 is the one that calls
  // Run, the others are numbered from 1, without gaps. Lanes of one thread run
  // in program order, which never waits for itself. `timeout`: the longest wait
  // during which no lane gets on, and `other_progress`, if there is one, does
  // not grow: lanes may wait for other ranks. Borrows: the plan.
  static absl::StatusOr<std::unique_ptr<LaneRunner>> Create(
      const PlanView& plan, std::vector<uint32_t> threads,
      std::chrono::nanoseconds timeout,
      std::function<uint64_t()> other_progress = nullptr);
  LaneRunner(const LaneRunner&) = delete;
  LaneRunner& operator=(const LaneRunner&) = delete;

  // Runs all lanes of the function to their ends. `execute` is called from the
  // lanes' threads and must be safe for that.
  absl::Status Run(const FunctionView& function, uint64_t repetitions,
                   Execute execute);

 private:
  struct Job {
    const FunctionView* function = nullptr;
    uint64_t repetitions = 0;
    const Execute* execute = nullptr;
  };

  // Whoever waits in a lane: for which event, and what wakes it. A signal wakes
  // nobody else.
  struct Waiter {
    std::atomic<uint64_t> event_plus_one = 0;  // 0: nobody waits
    Monitor monitor;
  };

  LaneRunner(const PlanView& plan, std::vector<uint32_t> threads,
             std::chrono::nanoseconds timeout,
             std::function<uint64_t()> other_progress);

  absl::Status RunThread(uint32_t thread, const Job& job);
  absl::Status RunInstance(const Job& job, const Instance& instance);
  absl::Status WaitForEvent(const Job& job, const Instance& instance,
                            const planpb::Wait& wait);
  void Signal(uint32_t event);
  // The first error of any lane is the runner's, and wakes all.
  void FailOnError(const absl::Status& status);
  // Calls `wait` with the timeout as deadline, again as long as some lane got
  // on meanwhile.
  absl::Status WaitWhileAlive(
      absl::FunctionRef<absl::Status(const Deadline& deadline)> wait);
  // Instructions that all lanes have finished so far, and what others have.
  uint64_t TotalProgress() const;

  const PlanView& plan_;
  const std::vector<uint32_t> thread_of_;  // per lane
  const std::chrono::nanoseconds timeout_;
  const std::function<uint64_t()> other_progress_;

  // Fails with the first error.
  Monitor failure_;
  std::unique_ptr<Waiter[]> waiters_;                  // per lane
  std::unique_ptr<std::atomic<uint64_t>[]> counts_;    // per event
  std::unique_ptr<std::atomic<uint64_t>[]> progress_;  // per lane
  std::unique_ptr<WorkerThreads> threads_;             // from 1 on
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_LANE_RUNNER_H_
