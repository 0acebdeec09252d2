// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When each instruction ran: recorded by streams, written as a Chrome trace,
// which Perfetto and chrome://tracing open.
#ifndef ACCEL_RUNTIME_EXECUTOR_TRACE_RECORDER_H_
#define ACCEL_RUNTIME_EXECUTOR_TRACE_RECORDER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json_fwd.hpp"
#include "runtime/device/roofline.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/cost/instruction_cost.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// What the recorder cannot know of the run.
struct TraceFacts {
  std::string producer;  // "accel-run 0.1.0"
  int threads = 1;       // of each rank
  // The GPU whose clock tells the times, for people; empty: the host's does.
  std::string gpu = {};
  // Events say what they achieved.
  bool has_rates = false;
  // Of each rank. Present: they say the share of it, too.
  std::optional<Roofline> roofline = std::nullopt;
};

// Threads: each (rank, stream) is recorded by one thread at a time; writing
// requires that nobody records.
class TraceRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  // Of `ranks` ranks, which are all that there are, steps [0, steps).
  // Borrows: the plan.
  TraceRecorder(const PlanView& plan, int ranks, int64_t steps,
                TraceFacts facts = {});

  int64_t steps() const { return steps_; }

  // Room for a step that executes `instances` instructions per stream at most.
  // Before the first step: recording allocates nothing.
  void Reserve(uint64_t instances);

  // Instruction `instruction` of `step`, in iteration `iteration` of the loop.
  // Steps beyond the last one to be recorded are ignored.
  void Record(uint64_t rank, const planpb::Instruction& instruction,
              int64_t step, uint64_t iteration, Clock::time_point begin,
              Clock::time_point end);

  // One event per instruction: microseconds of the host's monotonic clock, so
  // that the traces of a host's processes fit together, the rank as process,
  // the stream as thread; args are step, microbatch, FLOPs, bytes (see
  // instruction_cost.h), node, module and Python line, as far as they are
  // known; with rates also flops_per_second and bytes_per_second, and with a
  // roofline, of what has one (HasRoofline), roofline_us, the least
  // microseconds, and roofline_share, their share of the time taken. Ranks that
  // recorded nothing are left out.
  absl::Status Write(Vfs& vfs, const std::string& path) const;

 private:
  struct Event {
    const planpb::Instruction* instruction;
    int64_t step;
    uint64_t iteration;
    int64_t begin_ns;
    int64_t end_ns;
  };

  bool HasEvents(uint64_t rank) const;
  using Json = nlohmann::ordered_json;

  Json EventJson(uint64_t rank, const Event& event) const;
  void AddRates(const Event& event, const InstructionCost& cost,
                Json& args) const;
  Json FactsJson() const;

  const PlanView& plan_;
  const RankBinding binding_;  // of the first rank
  const uint64_t streams_;
  const int64_t steps_;
  const TraceFacts facts_;
  std::vector<std::vector<Event>> events_;  // [rank * streams + stream]
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_TRACE_RECORDER_H_
