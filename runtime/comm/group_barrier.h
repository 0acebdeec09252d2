// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ranks wait for each other: they meet before a call's data moves, compare
// what they have come for, and meet again between its parts. Whatever ends a
// barrier early is found and put into words here.
#ifndef ACCEL_RUNTIME_COMM_GROUP_BARRIER_H_
#define ACCEL_RUNTIME_COMM_GROUP_BARRIER_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/deadline.h"
#include "runtime/comm/group.h"

namespace accel::runtime {

// Invariants
//   1. Calls are opened, met for and closed one after the other.
//   2. While calls agree, all ranks meet equally often, so the n-th barrier is
//      the same for all.
//
// Threads: Open to Close by one thread; the rest by any.
// Borrows: the group.
class GroupBarrier {
 public:
  GroupBarrier(Group& group, uint32_t rank, std::chrono::nanoseconds timeout);

  // AlreadyExists if there is such a rank in the group.
  absl::Status Join();
  // Who waits for this rank from now on fails. Nothing, if it has not joined.
  void Leave();

  // Announces call `completed + 1`. Does not wait.
  absl::Status Open(const CallDescription& call);
  // Waits until all have come to the call and compares: either all ranks return
  // OK, or none does.
  absl::Status Compare();
  // Waits until all have come to the next point of the call.
  absl::Status Next();
  void Close();

  // Leaves `status` to all ranks if there is no error yet, and returns the one
  // that counts. `blamed` stands before the message.
  absl::Status Fail(uint32_t blamed, const absl::Status& status);
  absl::Status Failure() const;
  void ReportProgress();
  uint64_t GroupProgress() const;

 private:
  // Of the wait that goes on, by `clock_`.
  using Time = std::chrono::nanoseconds;
  enum class Outcome { kWaiting, kMet, kFailed, kGone, kStalled, kDiffer };
  struct Sign {
    uint64_t beats = 0;
    Time at{0};
  };

  void Announce();
  absl::Status Await(bool comparing);
  absl::Status ToStatus(Outcome outcome);
  void StartWatch();
  Outcome Look(bool comparing);
  Outcome LookAtMissing(Time now);
  Outcome LookAtMissingRank(uint32_t rank, bool ask_kernel, Time now);
  bool HasCome(uint32_t rank) const;
  bool AnyDiffers() const;
  const CallDescription& CallOf(uint32_t rank) const;

  absl::Status FailOfStalled();
  absl::Status FailOfGone();
  absl::Status FailOfDifference();
  // "all_gather b1 (...), operation 12".
  std::string CurrentText() const;
  // "rank 2 (pid 17)".
  std::string RankText(uint32_t rank) const;
  // What `rank` was last known to do.
  std::string LastKnown(uint32_t rank) const;

  Group& group_;
  const GroupRegion region_;
  const uint32_t rank_;
  const std::chrono::nanoseconds timeout_;

  bool joined_ = false;
  uint64_t barriers_ = 0;
  uint64_t number_ = 0;         // of the call that is open
  uint64_t first_barrier_ = 0;  // of that call
  CallDescription call_;
  CallDescription previous_;

  // Of the wait that goes on.
  WaitClock clock_;
  std::vector<Sign> signs_;
  Time asked_kernel_{0};
  Time differ_since_{0};
  bool differ_ = false;
  uint32_t gone_ = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_GROUP_BARRIER_H_
