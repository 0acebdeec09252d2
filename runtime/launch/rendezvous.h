// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the ranks of one host find each other: rank 0 listens at a name that all
// of them can compute, the others come, and each receives the run's shared
// memory and everybody's process.
#ifndef ACCEL_RUNTIME_LAUNCH_RENDEZVOUS_H_
#define ACCEL_RUNTIME_LAUNCH_RENDEZVOUS_H_

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/io/shared_memory.h"
#include "runtime/io/vfs.h"
#include "runtime/launch/local_socket.h"
#include "runtime/launch/rank_environment.h"

namespace accel::runtime {

struct RendezvousOptions {
  RankEnvironment environment;
  std::string version;  // of the program: the same on all ranks
  // Rank 0 waits so long for the others; they wait a little longer for it.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  // True ends the wait: Cancelled.
  std::function<bool()> stop_requested = [] { return false; };
};

// What a rank leaves the rendezvous with.
struct RendezvousResult {
  std::vector<pid_t> pids;  // per rank
  FileDescriptor group;     // CreateShmGroup's
  FileDescriptor board;     // ProgressBoard's
  // Rank 0 keeps the name; whoever comes later is to be refused.
  LocalSocket listener;
};

// The abstract name: of user, port and run id.
std::string RendezvousName(const RankEnvironment& environment);

// AlreadyExists: the name is in use. DeadlineExceeded: ranks have not come,
// each is named. Unavailable: a rank has ended meanwhile. FailedPrecondition:
// the ranks do not belong together.
absl::StatusOr<RendezvousResult> MeetRanks(Vfs& vfs,
                                           const RendezvousOptions& options);

// What a late comer is told.
std::string LateText(const RankEnvironment& environment);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RENDEZVOUS_H_
