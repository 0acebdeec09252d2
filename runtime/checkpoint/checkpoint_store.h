// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkpoints of a run directory, RUN/checkpoints/step-00000250: each is a
// folder that appears complete, or not at all, and is never changed.
#ifndef ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_STORE_H_
#define ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Which checkpoints stay when a new one is there.
struct Retention {
  int64_t keep = 3;  // the newest ones
  int64_t keep_every =
      0;  // also those of steps that are its multiples; 0: none
};

// A checkpoint is written to a folder with another name: `Begin` makes it, all
// processes write their files there, `Commit` adds the manifest and gives it
// its name. What is there under its name is durable when that returns.
// Borrows: the vfs. Threads: one at a time; one process of a run.
class CheckpointStore {
 public:
  CheckpointStore(Vfs& vfs, const std::string& run_directory);

  // The steps of all checkpoints that have their name, the newest first, whole
  // or not.
  absl::StatusOr<std::vector<int64_t>> List() const;
  std::string Folder(int64_t step) const;

  // Where the files of a new checkpoint are written.
  std::string NewFolder(int64_t step) const;
  // Makes that folder, and removes what was left by saves and removals that did
  // not end. AlreadyExists if there is a checkpoint of that step.
  absl::Status Begin(int64_t step);
  absl::Status Commit(int64_t step, const CheckpointManifest& manifest);
  // Gives a damaged checkpoint another name, "damaged-step-00000250", so that
  // there can be a new one of its step. What is damaged stays to be looked at.
  absl::Status SetAside(int64_t step);
  // Removes what was begun, after an error.
  void Abandon(int64_t step);
  // Removes old checkpoints.
  absl::Status Prune(const Retention& retention);

 private:
  absl::Status RemoveFolder(const std::string& path);
  absl::Status RemoveLeftovers();

  Vfs& vfs_;
  std::string root_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_STORE_H_
