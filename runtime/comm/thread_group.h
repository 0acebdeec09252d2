// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are threads of one process.
#ifndef ACCEL_RUNTIME_COMM_THREAD_GROUP_H_
#define ACCEL_RUNTIME_COMM_THREAD_GROUP_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"

namespace accel::runtime {

struct ThreadGroupMemory;

// Made once, before its ranks' threads. The memory lives as long as the group
// or any of its communicators.
//
// Threads: Join from any.
class ThreadGroup {
 public:
  static absl::StatusOr<ThreadGroup> Create(uint32_t ranks,
                                            const CommunicatorOptions& options);

  // Each rank once.
  absl::StatusOr<std::unique_ptr<Communicator>> Join(uint32_t rank) const;

 private:
  ThreadGroup(std::shared_ptr<ThreadGroupMemory> memory,
              std::chrono::nanoseconds timeout);

  std::shared_ptr<ThreadGroupMemory> memory_;
  std::chrono::nanoseconds timeout_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_THREAD_GROUP_H_
