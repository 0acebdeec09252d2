// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What processes tell each other of a checkpoint: whether each has done its
// part, and what the first failure was. So all of them know the same.
#ifndef ACCEL_RUNTIME_CHECKPOINT_BALLOT_H_
#define ACCEL_RUNTIME_CHECKPOINT_BALLOT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/comm/communicator.h"

namespace accel::runtime {

// What comes of a vote: the error of the communicator ends the run, the others'
// verdict only what was voted on.
struct Verdict {
  // OK, or the failure of the first process that had one: "rank 1: ...".
  absl::Status status;
  // Of each process; empty where it had none.
  std::vector<CheckpointFile> files;
};

// All processes call this together, each with what has become of its part.
// `communicator`: null for a process alone.
absl::StatusOr<Verdict> Vote(Communicator* communicator, absl::string_view name,
                             const absl::Status& own,
                             const CheckpointFile& file = {});

// Number `number` of rank 0, to all.
absl::StatusOr<int64_t> Tell(Communicator* communicator, absl::string_view name,
                             int64_t number);

// Whether `own` is true on all of them, the same on all.
absl::StatusOr<bool> AllAgree(Communicator* communicator,
                              absl::string_view name, bool own);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_BALLOT_H_
