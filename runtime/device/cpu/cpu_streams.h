// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of a CPU: threads that execute what was enqueued, and events that are
// counters.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_STREAMS_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_STREAMS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/deadline.h"
#include "runtime/base/worker_threads.h"
#include "runtime/device/cpu/cpu_operations.h"
#include "runtime/device/device.h"

namespace accel::runtime {

// The compute stream is executed by the thread that synchronizes, each other
// one by a thread of its own, so that fetches do not wait behind collectives. A
// rank alone waits for nobody in a collective: there these share one thread,
// which wakes less often. Streams of one thread run in the order in which their
// work was enqueued, and so never wait for each other. Serial streams all run
// on the thread that synchronizes.
//
// The threads work only while somebody synchronizes: one that is woken for each
// instruction costs a small model a third of its time. Enqueueing more than the
// queues hold synchronizes.
//
// Invariants
//   1. Each event is counted by one thread only, the one of its stream.
class CpuStreams : public StreamGroup {
 public:
  // Of a queue: some steps of a small model, a few microbatches of a large one.
  static constexpr size_t kQueueLength = 1024;

  // `pool` executes the compute stream's kernels. Borrows: everything.
  static absl::StatusOr<std::unique_ptr<CpuStreams>> Create(
      const PlanView& plan, const CpuCode& code, const CpuMemory& memory,
      const ThreadPool& pool, StreamClient& client,
      const StreamOptions& options);

  Stream& stream(uint32_t index) override { return streams_[index]; }
  void Reset() override;
  absl::Status Synchronize(absl::FunctionRef<std::string()> owner) override;
  bool TellsDataWait() const override { return true; }

 private:
  enum class Kind : uint8_t { kExecute, kRecord, kWait };
  struct Command {
    Kind kind = Kind::kExecute;
    uint32_t stream = 0;
    uint32_t event = 0;
    uint64_t count = 0;
    Instance instance;  // to be executed, or the one that waits
  };
  using Queue = std::vector<Command>;  // of one thread

  class CpuStream : public Stream {
   public:
    CpuStream(CpuStreams& group, uint32_t index)
        : group_(group), index_(index) {}
    absl::Status Enqueue(const Instance& instance) override {
      return group_.Push({Kind::kExecute, index_, 0, 0, instance});
    }
    absl::Status Record(uint32_t event) override {
      return group_.Push({Kind::kRecord, index_, event, 0, {}});
    }
    absl::Status WaitFor(uint32_t event, uint64_t count,
                         const Instance& waiter) override {
      return group_.Push({Kind::kWait, index_, event, count, waiter});
    }

   private:
    CpuStreams& group_;
    const uint32_t index_;
  };

  // Whoever waits in a stream: for which event, and what wakes it. A record
  // wakes nobody else.
  struct Waiter {
    std::atomic<uint64_t> event_plus_one = 0;  // 0: nobody waits
    Monitor monitor;
  };

  CpuStreams(StreamClient& client, const StreamOptions& options);

  void MakeStreams(const PlanView& plan, const CpuCode& code,
                   const CpuMemory& memory, const ThreadPool& pool);

  absl::Status Push(const Command& command);
  // Executes what lies in the queue of `thread`; 0 is the one that
  // synchronizes.
  void Drain(uint32_t thread);
  absl::Status Run(const Command& command);
  absl::Status Execute(uint32_t stream, const Instance& instance);
  void Record(uint32_t event);
  absl::Status WaitForEvent(const Command& command);
  void Fail(const absl::Status& status);

  StreamClient& client_;
  const StreamOptions options_;
  const ThreadPool single_;  // of streams that do not compute
  std::vector<CpuStream> streams_;
  std::vector<CpuOperations> operations_;  // per stream
  std::vector<uint32_t> thread_of_;        // per stream
  std::vector<Queue> queues_;              // per thread

  uint32_t events_ = 0;
  std::unique_ptr<std::atomic<uint64_t>[]> counts_;  // per event
  std::unique_ptr<Waiter[]> waiters_;                // per stream

  // Fails with the first error, which `failed_` tells without a lock.
  Monitor failure_;
  std::atomic<bool> failed_ = false;
  // Last: they end before what they use.
  std::unique_ptr<WorkerThreads> threads_;  // from 1 on
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_STREAMS_H_
