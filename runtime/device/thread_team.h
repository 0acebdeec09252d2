// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of one rank, an OpenMP team that our kernels and oneDNN share.
#ifndef ACCEL_RUNTIME_DEVICE_THREAD_TEAM_H_
#define ACCEL_RUNTIME_DEVICE_THREAD_TEAM_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace accel::runtime {

// Part `part` of `parts` of [begin, end), cut at multiples of `grain` from
// begin. Parts are contiguous, in order, and differ by one grain at most.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};
WorkRange PartOf(int64_t begin, int64_t end, int64_t grain, int part,
                 int parts);

// Threads: ParallelFor by one thread at a time, the one that called Adopt.
class ThreadTeam {
 public:
  // Requires: threads >= 1.
  explicit ThreadTeam(int threads) : threads_(threads) {}

  int threads() const { return threads_; }

  // Makes the calling thread the master: OpenMP regions that it starts, those
  // of libraries included, have as many threads as the team.
  void Adopt() const;

  // Calls work(thread, begin, end) with every non-empty part, on the team.
  void ParallelFor(
      int64_t begin, int64_t end, int64_t grain,
      absl::FunctionRef<void(int thread, int64_t begin, int64_t end)> work)
      const;

 private:
  int threads_;
};

// Cores that this process may use.
int AvailableCores();

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_THREAD_TEAM_H_
