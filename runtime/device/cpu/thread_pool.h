// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of one rank: they split one instruction after the other.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_THREAD_POOL_H_
#define ACCEL_RUNTIME_DEVICE_CPU_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace accel::runtime {

// Part `part` of `parts` of [begin, end), cut at multiples of `grain` from
// begin. Parts are contiguous, in order, and differ by one grain at most.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};
WorkRange PartOf(int64_t begin, int64_t end, int64_t grain, int part,
                 int parts);

// A thread that waits for the others spins for a moment, then offers its core
// to whoever wants it between two looks, and sleeps after some milliseconds.
// Once somebody has taken the core, it sleeps at once for a while: on a machine
// that is shared, threads that spin take their own pool's time.
//
// Each thread has a contiguous share of the work, and takes over what others
// have not begun once it has done its own: who comes late or loses its core
// delays nobody by more than what it has begun. While threads lose their cores,
// shares are taken in chunks, so that this is little.
//
// Threads: ParallelFor by one thread at a time, whichever it is.
class ThreadPool {
 public:
  // Starts all threads but one, which is whoever calls ParallelFor.
  // ResourceExhausted if one cannot be started. Requires: threads >= 1.
  static absl::StatusOr<ThreadPool> Create(int threads);
  // A pool of whoever calls ParallelFor.
  ThreadPool();
  ~ThreadPool();
  ThreadPool(ThreadPool&&) noexcept;
  ThreadPool& operator=(ThreadPool&&) noexcept;

  int threads() const { return threads_; }

  // Calls work(thread, begin, end) with parts of the range, cut at multiples of
  // `grain` from `begin`, on the pool, and returns when all have returned. Each
  // element is in one part. Which thread gets which parts, how many, and in
  // what order, differs from call to call; a thread, 0 for the caller, has one
  // at a time. `work` must not use the pool. What it does bounds how long that
  // takes: threads wait for each other's arithmetic only.
  void ParallelFor(
      int64_t begin, int64_t end, int64_t grain,
      absl::FunctionRef<void(int thread, int64_t begin, int64_t end)> work)
      const;

 private:
  class Counter;
  class Share;
  class Waiter;
  class Workers;

  int threads_ = 1;
  std::unique_ptr<Workers> workers_;  // null for one thread
};

// Cores that this process may use.
int AvailableCores();

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_THREAD_POOL_H_
