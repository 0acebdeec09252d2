// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that a GPU has been given and that were not found done yet.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PENDING_INSTRUCTIONS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PENDING_INSTRUCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/cuda/instruction_times.h"
#include "runtime/device/cuda/progress_words.h"
#include "runtime/device/stream.h"

namespace accel::runtime::cuda {

// Behind each instruction the GPU writes its number to memory of the host: so
// is known, without a call, which ones are done, and where a GPU hangs.
//
// Threads: one at a time.
class PendingInstructions {
 public:
  PendingInstructions() = default;
  // `streams`: those of the plan, of which there is one at least.
  // Borrows: the GPU.
  static absl::StatusOr<PendingInstructions> Create(
      const Gpu& gpu, const std::vector<StreamHandle>& streams, size_t capacity,
      bool timed);

  // Since the last Clear; never more than the capacity.
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  // Of one stream, at least so many: what was not found done.
  uint32_t UnderWay(size_t stream) const {
    return progress_.enqueued(stream) - progress_.done(stream);
  }

  // Around what an instruction enqueues.
  absl::Status Begin(StreamHandle handle) const;
  absl::Status End(const Instance& instance, StreamHandle handle);

  // While a graph is captured, behind each of its instructions.
  absl::Status EndCaptured(size_t stream, ProgressWords::Place place,
                           StreamHandle handle) const {
    return progress_.Reach(stream, place, handle);
  }
  // Of a graph, in the order in which they were captured; then, when that was
  // launched, that all of them are done, on the stream of the launch.
  void AddReplayed(const Instance& instance, ProgressWords::Place place);
  absl::Status EndReplay(StreamHandle handle);

  // Tells the client what is done.
  absl::Status Reap(StreamClient& client);
  // The first one that is not known to be done, for messages.
  std::string DescribeFirst(const StreamClient& client) const;
  // Requires: all are done, and the client has been told.
  void Clear();

 private:
  struct Pending {
    Instance instance;
    size_t order = 0;            // among all of them
    ProgressWords::Place place;  // in the graph that it came with
  };
  // Of one stream, in its order, since the last Clear.
  struct Queue {
    std::vector<Pending> instructions;
    uint32_t told = 0;      // of them, to the client, that they are done
    uint32_t begin = 0;     // count of the stream's progress before them
    uint32_t replayed = 0;  // of them, by a graph that has not been ended
  };

  uint32_t Done(size_t stream) const;

  std::vector<Queue> queues_;  // per stream
  ProgressWords progress_;
  InstructionTimes times_;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PENDING_INSTRUCTIONS_H_
