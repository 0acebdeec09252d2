// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkpoints of a run: what it goes on from, when it saves, and how all
// its processes save one together.
#ifndef ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_
#define ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/background_job.h"
#include "runtime/base/logger.h"
#include "runtime/checkpoint/ballot.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/comm/communicator.h"
#include "runtime/executor/executor.h"
#include "tools/accel-run/checkpoint_save.h"

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
  // So long a save in the background is waited for while it does not get on;
  // less than the time after which ranks take each other for dead.
  std::chrono::nanoseconds patience = std::chrono::seconds(15);
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
  //
  // Without `copy` that is done when it returns. With it the state is copied,
  // and written by a thread of its own: Poll and Finish bring it to its end.
  // `first` is called by that thread then, and owns what it touches.
  absl::Status Save(const runtime::PlanView& plan,
                    const runtime::Executor& executor,
                    runtime::CheckpointManifest manifest,
                    std::function<absl::Status()> first,
                    std::shared_ptr<runtime::StateCopy> copy = nullptr);
  // Between steps: goes on with a save that is under way, without waiting.
  absl::Status Poll();
  // Waits for it. One that does not get on has failed.
  absl::Status Finish();

 private:
  bool IsFirst() const { return place_.index == 0; }
  void ShowProgress() const;
  // Of one checkpoint, all processes together.
  absl::StatusOr<runtime::Verdict> Check(const std::string& folder);
  absl::StatusOr<std::unique_ptr<runtime::Checkpoint>> FindNewest();
  void BeginPart();
  absl::Status EndPart();
  void EndSave(const absl::Status& status);
  // Behind a save: removes old checkpoints, or what has become of a new one.
  void CleanUp(const CheckpointSave& save, bool saved);
  void NoteCleaned(const absl::Status& status) const;
  // For what is still being done behind a save.
  void AwaitRest();

  runtime::Vfs& vfs_;
  const RunCheckpointsOptions options_;
  runtime::Communicator* const communicator_;
  const runtime::Logger& logger_;
  runtime::ProcessPlace place_;
  runtime::CheckpointStore store_;
  std::chrono::steady_clock::time_point last_time_;
  int64_t last_saved_ = -1;
  std::set<int64_t> damaged_;             // steps, of the first process
  std::shared_ptr<CheckpointSave> save_;  // null: none is under way
  // Of that: what this process has done of its part, if no job does it.
  absl::Status own_;
  bool in_background_ = false;
  std::chrono::nanoseconds waited_{0};  // training, for the copy
  // Null: none.
  std::unique_ptr<runtime::BackgroundJob> job_;       // does a part of `save_`
  std::unique_ptr<runtime::BackgroundJob> cleaning_;  // behind a save
  bool cleaning_is_late_ = false;  // it has been waited for in vain
  std::unique_ptr<runtime::BackgroundJob> stuck_;  // of a save that failed
  bool all_know_ = false;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_RUN_CHECKPOINTS_H_
