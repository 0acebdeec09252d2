// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures and launches.
#include "runtime/device/cuda/step_graphs.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

StepGraphs::StepGraphs(const PlanView& plan, const FunctionView& function,
                       StreamHandle launches, const GraphContext& context)
    : function_(function),
      parts_(plan, function),
      launches_(launches),
      context_(context),
      positions_(context.handles.size()) {}

absl::StatusOr<std::unique_ptr<StepGraphs>> StepGraphs::Create(
    const PlanView& plan, const FunctionView& function, StreamHandle launches,
    const GraphContext& context) {
  auto graphs =
      absl::WrapUnique(new StepGraphs(plan, function, launches, context));
  for (const FunctionPart& part : graphs->parts_.parts()) {
    if (part.inside.size() > std::numeric_limits<uint16_t>::max()) {
      return absl::UnimplementedError(absl::StrCat(
          "'", function.name(), "' has ", part.inside.size(),
          " instructions for one CUDA graph; start accel-run --graphs=off"));
    }
  }
  const Gpu& gpu = context.streams.gpu;
  ASSIGN_OR_RETURN(graphs->fork_,
                   EventList::Create(gpu, 1, kEventDisableTiming));
  ASSIGN_OR_RETURN(
      graphs->joins_,
      EventList::Create(gpu, context.handles.size(), kEventDisableTiming));
  ASSIGN_OR_RETURN(
      graphs->events_,
      EventList::Create(gpu, function.event_count(), kEventDisableTiming));
  ASSIGN_OR_RETURN(graphs->ends_,
                   EventList::Create(gpu, kMostLaunches, kEventDisableTiming));
  return graphs;
}

StepGraphs::~StepGraphs() {
  for (const auto& [key, graph] : graphs_) {
    if (graph.exec != nullptr && context_.streams.gpu.MakeCurrent().ok()) {
      driver()->cuGraphExecDestroy(graph.exec);
    }
  }
}

absl::Status StepGraphs::Enqueue(uint64_t repetitions, Issue issue,
                                 MakeRoom make_room) {
  for (const FunctionPart& part : parts_.parts()) {
    const uint64_t iterations = part.is_repeated ? repetitions : 1;
    for (uint64_t iteration = 0; iteration < iterations; ++iteration) {
      RETURN_IF_ERROR(make_room(part.inside.size() + part.outside.size()));
      RETURN_IF_ERROR(EnqueuePart({part, iteration, repetitions}, issue));
    }
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::EnqueuePart(const Turn& turn, Issue issue) {
  size_t next = 0;
  RETURN_IF_ERROR(IssueOutside(turn, next, issue));
  if (!turn.part.inside.empty()) {
    RETURN_IF_ERROR(LaunchGraph(turn));
  }
  RETURN_IF_ERROR(IssueOutside(turn, next, issue));
  if (next != turn.part.outside.size()) {
    return absl::InternalError(absl::StrCat(
        "instruction ", turn.part.outside[next], " of '", function_.name(),
        "' waits for what comes behind its part"));
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::IssueOutside(const Turn& turn, size_t& next,
                                      Issue issue) const {
  for (; next < turn.part.outside.size(); ++next) {
    const uint32_t instruction = turn.part.outside[next];
    if (!IsReady(turn, instruction)) {
      break;
    }
    RETURN_IF_ERROR(issue(InstanceOf(turn, instruction)));
  }
  return absl::OkStatus();
}

bool StepGraphs::IsReady(const Turn& turn, uint32_t instruction) const {
  const auto& waits = function_.instructions()[instruction].waits();
  return std::all_of(waits.begin(), waits.end(), [&](const planpb::Wait& wait) {
    return Required(turn, wait, instruction) <=
           context_.events.recorded(wait.event());
  });
}

absl::Status StepGraphs::WaitForRoom() {
  if (launched_ < kMostLaunches) {
    return absl::OkStatus();
  }
  return context_.streams.wait.WaitUntil(
      [] { return std::string("the GPU to take more work"); },
      [&] { return driver().IsDone(ends_[launched_ % kMostLaunches]); });
}

absl::Status StepGraphs::LaunchGraph(const Turn& turn) {
  RETURN_IF_ERROR(WaitForRoom());
  RETURN_IF_ERROR(WaitForOutside(turn));
  StepGraph& graph =
      graphs_[{turn.part.index, turn.part.KindOf(turn.iteration)}];
  if (graph.exec == nullptr) {
    RETURN_IF_ERROR(
        Annotate(Capture(turn, graph),
                 absl::StrCat("a CUDA graph of '", function_.name(),
                              "' (accel-run --graphs=off does without)")));
  } else {
    RETURN_IF_ERROR(RepeatDownloads(turn, graph));
  }
  for (const uint32_t id : turn.part.inside) {
    context_.client.Begin(InstanceOf(turn, id));
  }
  RETURN_IF_CUDA_ERROR(driver(), cuGraphLaunch, graph.exec, launches_);
  return EndLaunch(turn, graph);
}

absl::Status StepGraphs::WaitForOutside(const Turn& turn) const {
  for (const uint32_t id : turn.part.inside) {
    for (const planpb::Wait& wait : function_.instructions()[id].waits()) {
      const uint64_t count = Required(turn, wait, id);
      if (count == 0 || !parts_.IsSignalledOutside(wait.event())) {
        continue;
      }
      if (count > context_.events.recorded(wait.event())) {
        return absl::UnimplementedError(absl::StrCat(
            "instruction ", id, " of '", function_.name(),
            "' waits for what waits for its own CUDA graph; start accel-run "
            "--graphs=off"));
      }
      RETURN_IF_ERROR(context_.events.WaitFor(wait.event(), count, launches_));
    }
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::Capture(const Turn& turn, StepGraph& graph) {
  if (graphs_.size() > std::numeric_limits<uint16_t>::max()) {
    return absl::UnimplementedError("there are too many kinds of microbatches");
  }
  graph.id = static_cast<uint16_t>(graphs_.size());
  RETURN_IF_CUDA_ERROR(driver(), cuStreamBeginCapture_v2, launches_,
                       kCaptureModeThreadLocal);
  absl::Status status = CaptureInstructions(turn, graph);
  Graph captured = nullptr;
  // Also after an error, so that the streams are as they were.
  const Result ended = driver()->cuStreamEndCapture(launches_, &captured);
  status.Update(driver().Check(ended, "cuStreamEndCapture"));
  if (status.ok()) {
    status = driver().Check(
        driver()->cuGraphInstantiateWithFlags(&graph.exec, captured, 0),
        "cuGraphInstantiateWithFlags");
  }
  if (captured != nullptr) {
    driver()->cuGraphDestroy(captured);
  }
  graph.flags = context_.streams.flags;
  context_.streams.downloads.Keep();
  return status;
}

absl::Status StepGraphs::CaptureInstructions(const Turn& turn,
                                             StepGraph& graph) {
  std::fill(positions_.begin(), positions_.end(), 0);
  RETURN_IF_CUDA_ERROR(driver(), cuEventRecord, fork_[0], launches_);
  for (const uint32_t id : turn.part.inside) {
    RETURN_IF_ERROR(CaptureOne(turn, InstanceOf(turn, id), graph));
  }
  for (size_t stream = 0; stream < positions_.size(); ++stream) {
    if (positions_[stream] != 0) {
      RETURN_IF_CUDA_ERROR(driver(), cuEventRecord, joins_[stream],
                           context_.handles[stream]);
      RETURN_IF_CUDA_ERROR(driver(), cuStreamWaitEvent, launches_,
                           joins_[stream], 0);
    }
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::CaptureOne(const Turn& turn, const Instance& instance,
                                    StepGraph& graph) {
  const planpb::Instruction& instruction = *instance.instruction;
  const uint32_t stream = instruction.stream();
  const StreamHandle handle = context_.handles[stream];
  if (positions_[stream] == 0) {
    RETURN_IF_CUDA_ERROR(driver(), cuStreamWaitEvent, handle, fork_[0], 0);
  }
  for (const planpb::Wait& wait : instruction.waits()) {
    // What was recorded before this graph is done when it begins.
    if (Required(turn, wait, instruction.id()) >
        context_.events.recorded(wait.event())) {
      RETURN_IF_CUDA_ERROR(driver(), cuStreamWaitEvent, handle,
                           events_[wait.event()], 0);
    }
  }
  const uint64_t copied = context_.streams.downloads.used();
  RETURN_IF_ERROR(context_.client.Issue(instance, context_.operations[stream]));
  if (context_.streams.downloads.used() != copied) {
    graph.downloads.push_back(copied);
  }
  RETURN_IF_ERROR(context_.pending.EndCaptured(
      stream, {graph.id, ++positions_[stream]}, handle));
  for (const uint32_t event : instruction.signals()) {
    RETURN_IF_CUDA_ERROR(driver(), cuEventRecord, events_[event], handle);
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::RepeatDownloads(const Turn& turn,
                                         const StepGraph& graph) {
  context_.streams.flags = graph.flags;
  size_t next = 0;
  for (const uint32_t id : turn.part.inside) {
    const Instance instance = InstanceOf(turn, id);
    if (!instance.instruction->has_metric()) {
      continue;
    }
    context_.streams.repeated_download = graph.downloads[next++];
    const absl::Status status = context_.client.Issue(
        instance, context_.operations[instance.instruction->stream()]);
    context_.streams.repeated_download.reset();
    RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::Status StepGraphs::EndLaunch(const Turn& turn, const StepGraph& graph) {
  std::fill(positions_.begin(), positions_.end(), 0);
  for (const uint32_t id : turn.part.inside) {
    const Instance instance = InstanceOf(turn, id);
    const planpb::Instruction& instruction = *instance.instruction;
    context_.pending.AddReplayed(
        instance, {graph.id, ++positions_[instruction.stream()]});
    for (const uint32_t event : instruction.signals()) {
      if (parts_.IsAwaitedOutside(event)) {
        RETURN_IF_ERROR(context_.events.Record(event, launches_));
      } else {
        context_.events.Count(event);
      }
    }
  }
  RETURN_IF_ERROR(context_.pending.EndReplay(launches_));
  RETURN_IF_CUDA_ERROR(driver(), cuEventRecord,
                       ends_[launched_ % kMostLaunches], launches_);
  ++launched_;
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
