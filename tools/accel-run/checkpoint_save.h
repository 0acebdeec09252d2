// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One checkpoint being saved by all processes of a run together, part after
// part: its folder, its files, its name. After each part all of them vote.
#ifndef ACCEL_TOOLS_ACCEL_RUN_CHECKPOINT_SAVE_H_
#define ACCEL_TOOLS_ACCEL_RUN_CHECKPOINT_SAVE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/ballot.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/checkpoint/state_copy.h"
#include "runtime/checkpoint/state_file.h"

namespace accel::tools {

// What this process writes, and where. A thread that does not come back from a
// disk may be the last to have it.
class CheckpointSave {
 public:
  enum class Part { kFolder, kFiles, kName };

  // `first`: what is made durable before the name, by the first process.
  // Borrows: the vfs.
  CheckpointSave(runtime::Vfs& vfs, runtime::CheckpointStore store,
                 const runtime::ProcessPlace& place,
                 runtime::CheckpointManifest manifest,
                 std::function<absl::Status()> first)
      : vfs_(vfs),
        store_(std::move(store)),
        place_(place),
        manifest_(std::move(manifest)),
        first_(std::move(first)),
        started_(std::chrono::steady_clock::now()) {}
  CheckpointSave(const CheckpointSave&) = delete;
  CheckpointSave& operator=(const CheckpointSave&) = delete;

  // Lists what is to be written, and reads what the manifest has of it. With
  // `copy` everything is read now; without it files are written of the state
  // itself. Borrows: the executor, without a copy.
  absl::Status Read(const runtime::PlanView& plan,
                    const runtime::Executor& executor,
                    std::shared_ptr<runtime::StateCopy> copy);

  Part part() const { return part_; }
  // The checkpoint of this step that is there is damaged: it gets another name.
  void SetAside() { sets_aside_ = true; }
  // What this process does for the part. `on_progress` is called after each
  // 4 MiB; its error ends the part.
  absl::Status Do(const std::function<absl::Status()>& on_progress);
  // All processes together, behind the part: whether it is done on all of them.
  // Then the next one begins, or it was the last.
  absl::StatusOr<runtime::Verdict> Vote(runtime::Communicator* communicator,
                                        const absl::Status& own);
  bool is_whole() const { return is_whole_; }

  int64_t step() const { return manifest_.step; }
  const runtime::CheckpointStore& store() const { return store_; }
  // Of all files, once they are written.
  uint64_t bytes() const;
  std::chrono::steady_clock::time_point started() const { return started_; }

 private:
  bool IsFirst() const { return place_.index == 0; }
  absl::Status WriteFile(const std::function<absl::Status()>& on_progress);

  runtime::Vfs& vfs_;
  runtime::CheckpointStore store_;
  const runtime::ProcessPlace place_;
  runtime::CheckpointManifest manifest_;
  const std::function<absl::Status()> first_;
  const std::chrono::steady_clock::time_point started_;
  std::vector<runtime::StateTensor> tensors_;
  std::vector<runtime::StatePart> parts_;  // of tensors_
  runtime::StateReader read_;
  Part part_ = Part::kFolder;
  bool is_whole_ = false;
  bool sets_aside_ = false;
  runtime::CheckpointFile file_;  // this process's
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_CHECKPOINT_SAVE_H_
