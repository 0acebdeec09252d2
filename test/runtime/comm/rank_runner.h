// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function once per rank, as threads or as processes, so that one test
// holds for both communicators.
#ifndef ACCEL_TEST_RUNTIME_COMM_RANK_RUNNER_H_
#define ACCEL_TEST_RUNTIME_COMM_RANK_RUNNER_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/comm/communicator.h"

namespace accel::testing {

enum class Backend { kThreads, kShm };
std::string BackendName(const ::testing::TestParamInfo<Backend>& info);

// What a rank does. It runs in another process with kShm, so it tells what it
// has found by its status only.
using RankBody = std::function<absl::Status(runtime::Communicator&)>;

// The status of every rank, in order.
std::vector<absl::Status> RunRanks(
    Backend backend, uint32_t ranks, const RankBody& body,
    const runtime::CommunicatorOptions& options = {});

// Ranks as processes that a test may kill.
class RankProcesses {
 public:
  RankProcesses(uint32_t ranks, const RankBody& body,
                const runtime::CommunicatorOptions& options);

  pid_t pid(uint32_t rank) const { return processes_[rank].pid; }
  void Signal(uint32_t rank, int signal) const;
  // Waits for the end of all. A rank that left no status: Unknown, "signal 9".
  std::vector<absl::Status> Wait();

 private:
  struct Process {
    pid_t pid;
    int pipe;
  };
  std::vector<Process> processes_;
};

// Of a moment that all processes of this host share.
int64_t MonotonicNanoseconds();
void SleepFor(std::chrono::nanoseconds duration);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_COMM_RANK_RUNNER_H_
