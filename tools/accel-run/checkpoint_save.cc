// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first process makes and names the folder; all write, and all vote.
#include "tools/accel-run/checkpoint_save.h"

#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/restore.h"

namespace accel::tools {

absl::Status CheckpointSave::Read(const runtime::PlanView& plan,
                                  const runtime::Executor& executor,
                                  std::shared_ptr<runtime::StateCopy> copy) {
  ASSIGN_OR_RETURN(tensors_, runtime::ListStateTensors(plan.manifest()));
  ASSIGN_OR_RETURN(parts_, runtime::PartsToWrite(tensors_, executor, place_));
  if (IsFirst() && manifest_.scalars.empty()) {
    ASSIGN_OR_RETURN(manifest_.scalars, runtime::ReadScalars(plan, executor));
  }
  read_ = runtime::ReaderOf(executor);
  if (copy == nullptr) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(copy->Take(parts_, read_));
  read_ = [copy = std::move(copy)](const runtime::StatePart& part,
                                   uint64_t first, absl::Span<std::byte> dst) {
    return copy->Read(part, first, dst);
  };
  return absl::OkStatus();
}

absl::Status CheckpointSave::WriteFile(
    const std::function<absl::Status()>& on_progress) {
  absl::Status ended;
  const auto read = [&](const runtime::StatePart& part, uint64_t first,
                        absl::Span<std::byte> dst) {
    return ended.ok() ? read_(part, first, dst) : ended;
  };
  ASSIGN_OR_RETURN(file_, runtime::WriteStateFile(
                              vfs_, store_.NewFolder(step()), parts_, read,
                              place_, [&] { ended = on_progress(); }));
  return absl::OkStatus();
}

absl::Status CheckpointSave::Do(
    const std::function<absl::Status()>& on_progress) {
  if (part_ == Part::kFiles) {
    return WriteFile(on_progress);
  }
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  if (part_ == Part::kFolder) {
    if (sets_aside_) {
      RETURN_IF_ERROR(store_.SetAside(step()));
    }
    return store_.Begin(step());
  }
  RETURN_IF_ERROR(first_());
  return store_.Commit(step(), manifest_);
}

absl::StatusOr<runtime::Verdict> CheckpointSave::Vote(
    runtime::Communicator* communicator, const absl::Status& own) {
  const auto vote = [&]() -> absl::StatusOr<runtime::Verdict> {
    switch (part_) {
      case Part::kFolder:
        return runtime::Vote(communicator, "the checkpoint's folder", own);
      case Part::kFiles:
        return runtime::Vote(communicator, "the checkpoint's files", own,
                             file_);
      case Part::kName:
        return runtime::Vote(communicator, "the checkpoint's name", own);
    }
    return absl::InternalError("a checkpoint has no further part");
  };
  ASSIGN_OR_RETURN(runtime::Verdict verdict, vote());
  if (!verdict.status.ok()) {
    return verdict;
  }
  if (part_ == Part::kName) {
    is_whole_ = true;
  } else if (part_ == Part::kFolder) {
    part_ = Part::kFiles;
  } else {
    part_ = Part::kName;
    manifest_.files = verdict.files;
  }
  return verdict;
}

uint64_t CheckpointSave::bytes() const {
  uint64_t bytes = 0;
  for (const runtime::CheckpointFile& file : manifest_.files) {
    bytes += file.bytes;
  }
  return bytes;
}

}  // namespace accel::tools
