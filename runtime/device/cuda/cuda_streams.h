// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's streams as CUDA streams, its events as CUDA events.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda/cuda_operations.h"
#include "runtime/device/cuda/instruction_times.h"
#include "runtime/device/cuda/progress_words.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

// The thread that enqueues runs ahead of the GPU, which begins at once.
// Behind each instruction the GPU writes its number to memory of the host:
// so is known, without a call, which ones are done, and where a GPU hangs.
//
// After an error of its own, or a deadline, the GPU is given up: nothing of it
// is freed.
class CudaStreams : public StreamGroup, private HostWait {
 public:
  // Instructions that may be under way; enqueueing more synchronizes.
  static constexpr size_t kQueueLength = 4096;

  // Borrows: everything but `library`, which is null where the code calls none.
  static absl::StatusOr<std::unique_ptr<CudaStreams>> Create(
      Gpu& gpu, const PlanView& plan, const CudaCode& code, CudaMemory& memory,
      std::unique_ptr<CublasLt> library, StreamClient& client,
      const StreamOptions& options);
  ~CudaStreams() override;

  Stream& stream(uint32_t index) override { return streams_[index]; }
  void Reset() override;
  absl::Status Synchronize(absl::FunctionRef<std::string()> owner) override;

 private:
  class CudaStream : public Stream {
   public:
    CudaStream(CudaStreams& group, uint32_t index)
        : group_(group), index_(index) {}
    absl::Status Enqueue(const Instance& instance) override {
      return group_.Enqueue(index_, instance);
    }
    absl::Status Record(uint32_t event) override;
    absl::Status WaitFor(uint32_t event, uint64_t count,
                         const Instance& waiter) override;

   private:
    CudaStreams& group_;
    const uint32_t index_;
  };
  // An instruction that was not found done yet.
  struct Pending {
    Instance instance;
    size_t times = 0;  // in times_
  };
  // Of one stream, in its order, since the last Synchronize.
  struct Queue {
    std::vector<Pending> instructions;
    uint32_t told = 0;   // of them, to the client, that they are done
    uint32_t begin = 0;  // count of the stream's progress before them
  };

  // An event of the plan. What waits for an earlier record must not wait for a
  // later one: a fetch that runs ahead would hold up what is before it.
  struct Event {
    static constexpr size_t kRecords = 2;
    std::array<EventHandle, kRecords> handles = {};  // take turns
    uint64_t recorded = 0;                           // since the last Reset
  };

  CudaStreams(Gpu& gpu, const CudaCode& code, CudaMemory& memory,
              StreamClient& client, const StreamOptions& options);

  absl::Status MakeStreams(const PlanView& plan);
  absl::Status MakeContext(const PlanView& plan,
                           std::unique_ptr<CublasLt> library);
  absl::Status WaitUntil(
      absl::FunctionRef<std::string()> owner,
      absl::FunctionRef<absl::StatusOr<bool>()> ready) override;

  absl::Status Enqueue(uint32_t stream, const Instance& instance);
  absl::Status WaitForRoom(uint32_t stream);
  absl::Status Issue(uint32_t stream, const Instance& instance);
  // Whether all work is done.
  absl::StatusOr<bool> IsIdle() const;
  // Tells the client what is done.
  absl::Status Reap();
  // The first instruction that is not known to be done, for messages.
  std::string DescribeFirst() const;
  absl::Status Fail(const absl::Status& status);
  // After an error, until the GPU has ended what it has, or is given up.
  void Drain();

  Gpu& gpu_;
  StreamClient& client_;
  const StreamOptions options_;
  StreamContext context_;
  std::vector<StreamHandle> handles_;       // per stream
  std::vector<CudaStream> streams_;         // likewise
  std::vector<CudaOperations> operations_;  // likewise
  std::vector<Queue> queues_;               // likewise
  std::vector<Event> events_;               // per event of the plan
  ProgressWords progress_;
  InstructionTimes times_;
  size_t enqueued_ = 0;  // since the last Synchronize
  absl::Status failure_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_
