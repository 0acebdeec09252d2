// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkpoints of a run: what it goes on from, when it saves, and how all
// its processes save one together.
#ifndef ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_
#define ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/logger.h"
#include "runtime/checkpoint/ballot.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/comm/communicator.h"
#include "runtime/executor/executor.h"

namespace accel::tools {

// After so many steps, or so much time; neither: never.
struct CheckpointInterval {
  int64_t steps = 0;
  std::chrono::seconds time{0};

  bool IsSet() const { return steps > 0 || time.count() > 0; }
};

// "50", "90s", "10m", "2h". InvalidArgument for anything else.
absl::StatusOr<CheckpointInterval> ParseInterval(const std::string& text);

struct RunCheckpointsOptions {
  std::string run_directory;
  CheckpointInterval interval;
  runtime::Retention retention;
};

// Every process of the run has one, and calls the same methods in the same
// order. Borrows: everything.
class RunCheckpoints {
 public:
  // `communicator`: null for a process alone.
  RunCheckpoints(runtime::Vfs& vfs, const RunCheckpointsOptions& options,
                 runtime::Communicator* communicator,
                 const runtime::Logger& logger);

  // What --resume says: "auto" for the newest intact one of the run directory,
  // null if it has none at all; or the folder of one. Those that are damaged
  // are named, as warnings. DataLoss if none is intact. An error is the same on
  // all processes if all_know().
  absl::StatusOr<std::unique_ptr<runtime::Checkpoint>> Find(
      const std::string& resume);

  bool all_know() const { return all_know_; }

  // Whether a checkpoint shall be saved now that `step` steps are done.
  absl::StatusOr<bool> IsDue(int64_t step);
  int64_t last_saved() const { return last_saved_; }
  void NoteSaved(int64_t step) { last_saved_ = step; }

  // Saves the state between steps; counters and scales are the manifest's, if
  // it has some. What comes before the name, as what was said of the steps, is
  // made durable by `first`, on the first process. A save that fails fails on
  // all processes, with a warning, and nothing is lost but it.
  absl::Status Save(const runtime::PlanView& plan,
                    const runtime::Executor& executor,
                    runtime::CheckpointManifest manifest,
                    const std::function<absl::Status()>& first);

 private:
  bool IsFirst() const { return place_.index == 0; }
  void ShowProgress() const;
  // Of one checkpoint, all processes together.
  absl::StatusOr<runtime::Verdict> Check(const std::string& folder);
  absl::StatusOr<std::unique_ptr<runtime::Checkpoint>> FindNewest();
  absl::StatusOr<runtime::Verdict> SaveAll(
      const runtime::PlanView& plan, const runtime::Executor& executor,
      runtime::CheckpointManifest& manifest,
      const std::function<absl::Status()>& first);
  void Prune();

  runtime::Vfs& vfs_;
  const RunCheckpointsOptions options_;
  runtime::Communicator* const communicator_;
  const runtime::Logger& logger_;
  runtime::ProcessPlace place_;
  runtime::CheckpointStore store_;
  std::chrono::steady_clock::time_point last_time_;
  int64_t last_saved_ = -1;
  bool all_know_ = false;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_
