// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step that is given up between its microbatches, because the run shall end:
// by all ranks from the same microbatch on, so that collectives still meet.
#ifndef ACCEL_RUNTIME_EXECUTOR_STEP_END_H_
#define ACCEL_RUNTIME_EXECUTOR_STEP_END_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Invariants
//   1. Of a step that is given up no instruction behind the microbatches is
//      executed, so nothing is updated.
//
// Threads: LeavesOut by the thread of the stream; the rest by one thread, while
// the streams rest.
class StepEnd {
 public:
  // `wants_end` is asked by any thread; null: no step is given up.
  // `communicator`: null for a rank alone. Borrows: it.
  StepEnd(std::function<bool()> wants_end, Communicator* communicator,
          int streams, std::chrono::nanoseconds timeout);

  // Whether a step of so many microbatches can be given up.
  bool CanEnd(const FunctionView& function, uint64_t iterations) const;
  // Step `step` (from 0) begins; `can_end` as above. False: what follows is
  // executed whole.
  void Begin(const FunctionView& function, uint64_t iterations, int64_t step,
             bool can_end);
  // Whether the instance is not to be executed. To be asked in the order of the
  // stream's instances.
  absl::StatusOr<bool> LeavesOut(const Instance& instance);
  // Whether the step was given up. The same on all ranks.
  bool given_up() const { return given_up_.load(); }

 private:
  // What one stream knows.
  struct alignas(64) View {
    uint64_t begun = 0;
    uint64_t end = EndAgreement::kNone;
  };

  // Pieces of a step are its microbatches, with what is before them as part of
  // the first one, and what is behind them.
  uint64_t PieceOf(const Instance& instance) const;

  const std::function<bool()> wants_end_;
  Communicator* const communicator_;
  // Of a rank alone.
  EndWords words_;
  std::atomic<uint64_t> begun_{0};
  EndAgreement alone_;
  std::vector<View> views_;  // per stream

  // Of the step.
  bool can_end_ = false;
  uint64_t first_ = 0;   // piece
  uint64_t behind_ = 0;  // the piece behind the microbatches
  uint32_t repeat_ = 0;  // the instruction
  uint32_t last_ = 0;    // of the repeat
  std::atomic<bool> given_up_{false};
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_STEP_END_H_
