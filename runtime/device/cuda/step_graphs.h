// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function's instructions as CUDA graphs: what is in front of the
// microbatches, the first microbatch, every other one, and what is behind.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_STEP_GRAPHS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_STEP_GRAPHS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/cuda/cuda_operations.h"
#include "runtime/device/cuda/function_parts.h"
#include "runtime/device/cuda/pending_instructions.h"
#include "runtime/device/cuda/plan_events.h"

namespace accel::runtime::cuda {

// What graphs are captured from and launched among.
struct GraphContext {
  StreamContext& streams;
  const std::vector<StreamHandle>& handles;  // per stream of the plan
  std::vector<CudaOperations>& operations;   // likewise
  PlanEvents& events;
  PendingInstructions& pending;
  StreamClient& client;
};

// Graphs are launched on a stream of their own, one behind the other. What
// streams of the host enqueue stays outside of them, and waits for whole graphs
// and is waited for by whole graphs.
//
// Threads: one at a time.
class StepGraphs {
 public:
  // How what is no graph is enqueued.
  using Issue = absl::FunctionRef<absl::Status(const Instance&)>;
  // Returns when so many instructions more can be under way.
  using MakeRoom = absl::FunctionRef<absl::Status(size_t instructions)>;

  // `launches`: the stream that graphs are launched on. Borrows: everything.
  static absl::StatusOr<std::unique_ptr<StepGraphs>> Create(
      const PlanView& plan, const FunctionView& function, StreamHandle launches,
      const GraphContext& context);
  ~StepGraphs();
  StepGraphs(const StepGraphs&) = delete;
  StepGraphs& operator=(const StepGraphs&) = delete;

  // Enqueues the whole function, and captures what was not captured yet.
  // `issue` is called for what stays outside, and enqueues its waits and
  // signals, too.
  absl::Status Enqueue(uint64_t repetitions, Issue issue, MakeRoom make_room);

 private:
  // What a graph does at every launch.
  struct StepGraph {
    GraphExec exec = nullptr;
    // A number other than 0.
    uint16_t id = 0;
    // Where the copies lie that it makes to the host, in their order.
    std::vector<uint64_t> downloads;
    AccumulationFlags flags;  // behind it
  };
  // A part in one iteration, of a step with so many.
  struct Turn {
    const FunctionPart& part;
    uint64_t iteration;
    uint64_t repetitions;
  };

  StepGraphs(const PlanView& plan, const FunctionView& function,
             StreamHandle launches, const GraphContext& context);

  absl::Status EnqueuePart(const Turn& turn, Issue issue);
  // Enqueues instructions outside of the graph from `next` on, up to the first
  // one that waits for what is not enqueued yet.
  absl::Status IssueOutside(const Turn& turn, size_t& next, Issue issue) const;
  bool IsReady(const Turn& turn, uint32_t instruction) const;
  absl::Status LaunchGraph(const Turn& turn);
  absl::Status Capture(const Turn& turn, StepGraph& graph);
  absl::Status CaptureInstructions(const Turn& turn, StepGraph& graph);
  absl::Status CaptureOne(const Turn& turn, const Instance& instance,
                          StepGraph& graph);
  // Until few launches are under way: when its own queue is full, the driver
  // waits for the GPU, without a deadline.
  absl::Status WaitForRoom();
  // The launches wait for what the host's streams have done.
  absl::Status WaitForOutside(const Turn& turn) const;
  // What the host does for a graph that was captured before.
  absl::Status RepeatDownloads(const Turn& turn, const StepGraph& graph);
  absl::Status EndLaunch(const Turn& turn, const StepGraph& graph);

  Instance InstanceOf(const Turn& turn, uint32_t instruction) const {
    return {&function_.instructions()[instruction], turn.iteration};
  }
  uint64_t Required(const Turn& turn, const planpb::Wait& wait,
                    uint32_t waiter) const {
    return function_.RequiredCount(wait, waiter, turn.iteration,
                                   turn.repetitions);
  }
  const Driver& driver() const { return context_.streams.gpu.driver(); }

  const FunctionView& function_;
  const FunctionParts parts_;
  const StreamHandle launches_;
  const GraphContext context_;
  // Of a capture: where it forks, where its streams end, and the plan's events.
  EventList fork_;
  EventList joins_;
  EventList events_;
  // Behind each launch; they take turns.
  static constexpr size_t kMostLaunches = 8;
  EventList ends_;
  uint64_t launched_ = 0;
  std::vector<uint16_t> positions_;  // per stream; 0: not in the capture yet
  // By part and kind of iteration.
  std::map<std::pair<size_t, uint64_t>, StepGraph> graphs_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_STEP_GRAPHS_H_
