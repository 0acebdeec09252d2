// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What events order: vector clocks over the streams of a function, for those
// who prove or count something that must hold for every timing of the streams.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_STREAM_CLOCKS_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_STREAM_CLOCKS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// PlanView accepts no plan with more streams than one of each kind.
inline constexpr size_t kMaxStreams = planpb::StreamKind_MAX;

// Per stream, how many of its instructions are known to have finished.
using StreamClock = std::array<uint64_t, kMaxStreams>;

// Replays a function in program order: Begin and End for each instance.
// Borrows: plan and function.
class StreamClocks {
 public:
  StreamClocks(const PlanView& plan, const FunctionView& function,
               uint64_t repetitions)
      : plan_(plan),
        function_(function),
        repetitions_(repetitions),
        signals_(function.event_count()) {}

  // Takes the waits into account. FailedPrecondition if one would never end.
  absl::Status Begin(const Instance& instance);
  // What has finished, in every timing, before the stream's next instruction
  // begins.
  const StreamClock& Known(uint32_t stream) const { return streams_[stream]; }
  // The instruction has finished and signals. Returns its tick: it has finished
  // where a clock's entry of its stream is that or more.
  uint64_t End(const Instance& instance);

 private:
  const PlanView& plan_;
  const FunctionView& function_;
  const uint64_t repetitions_;
  std::array<StreamClock, kMaxStreams> streams_ = {};
  // Per event, the clock at each of its signals.
  std::vector<std::vector<StreamClock>> signals_;
};

// How often repeats must be unrolled until nothing new can be seen of their
// steady state. One and two repetitions have ends that longer ones do not have.
uint64_t UnrolledIterations(const PlanView& plan, const FunctionView& function);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_STREAM_CLOCKS_H_
