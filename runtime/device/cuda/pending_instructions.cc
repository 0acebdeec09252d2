// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue for each stream, whose head the GPU moves.
#include "runtime/device/cuda/pending_instructions.h"

#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<PendingInstructions> PendingInstructions::Create(
    const Gpu& gpu, const std::vector<StreamHandle>& streams, size_t capacity,
    bool timed) {
  PendingInstructions pending;
  pending.capacity_ = capacity;
  pending.queues_.resize(streams.size());
  for (Queue& queue : pending.queues_) {
    queue.instructions.reserve(capacity);
  }
  ASSIGN_OR_RETURN(pending.progress_,
                   ProgressWords::Create(gpu, streams.size()));
  ASSIGN_OR_RETURN(pending.times_, InstructionTimes::Create(
                                       gpu, timed ? capacity : 0, streams[0]));
  return pending;
}

absl::Status PendingInstructions::Begin(StreamHandle handle) const {
  return times_.Begin(size_, handle);
}

absl::Status PendingInstructions::End(const Instance& instance,
                                      StreamHandle handle) {
  const size_t stream = instance.instruction->stream();
  RETURN_IF_ERROR(times_.End(size_, handle));
  queues_[stream].instructions.push_back({instance, size_, {}});
  ++size_;
  return progress_.Advance(stream, 1, handle);
}

void PendingInstructions::AddReplayed(const Instance& instance,
                                      ProgressWords::Place place) {
  Queue& queue = queues_[instance.instruction->stream()];
  queue.instructions.push_back({instance, size_, place});
  ++queue.replayed;
  ++size_;
}

absl::Status PendingInstructions::EndReplay(StreamHandle handle) {
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    Queue& queue = queues_[stream];
    if (queue.replayed != 0) {
      // In this order: a count without the graph never comes with its place.
      RETURN_IF_ERROR(progress_.Reach(stream, {}, handle));
      RETURN_IF_ERROR(progress_.Advance(stream, queue.replayed, handle));
      queue.replayed = 0;
    }
  }
  return absl::OkStatus();
}

uint32_t PendingInstructions::Done(size_t stream) const {
  const Queue& queue = queues_[stream];
  const uint32_t done = progress_.done(stream) - queue.begin;
  if (done >= queue.instructions.size()) {
    return done;
  }
  // Behind the count: if a graph ends in between, the place is none, or one of
  // its next replay, whose instructions are no more than those of this one.
  const ProgressWords::Place place = progress_.place(stream);
  const bool is_inside =
      place.graph != 0 && place.graph == queue.instructions[done].place.graph;
  return is_inside ? done + place.position : done;
}

absl::Status PendingInstructions::Reap(StreamClient& client) {
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    Queue& queue = queues_[stream];
    const uint32_t done = Done(stream);
    for (; queue.told < done; ++queue.told) {
      const Pending& pending = queue.instructions[queue.told];
      ASSIGN_OR_RETURN(const InstructionTimes::Times times,
                       times_.Get(pending.order));
      RETURN_IF_ERROR(client.Finish(pending.instance, times.begin, times.end));
    }
  }
  return absl::OkStatus();
}

std::string PendingInstructions::DescribeFirst(
    const StreamClient& client) const {
  const Pending* first = nullptr;
  for (const Queue& queue : queues_) {
    if (queue.told < queue.instructions.size() &&
        (first == nullptr ||
         queue.instructions[queue.told].order < first->order)) {
      first = &queue.instructions[queue.told];
    }
  }
  return first == nullptr ? "none" : client.Describe(first->instance);
}

void PendingInstructions::Clear() {
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    Queue& queue = queues_[stream];
    queue.instructions.clear();
    queue.told = 0;
    queue.begin = progress_.enqueued(stream);
  }
  size_ = 0;
}

}  // namespace accel::runtime::cuda
