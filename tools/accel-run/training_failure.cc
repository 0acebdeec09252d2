// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a run fails: whose failure it is, and who says so.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/wall_clock.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {

ExitCode TrainingRun::Fail(const absl::Status& status, const Stage& stage) {
  environment_.console.FinishLive();
  if (absl::IsCancelled(status)) {
    environment_.logger.Log(runtime::LogLevel::kInfo, status.message());
    stop_signal_ = environment_.stop_requested();
    return ExitCode::kOk;
  }
  if (group_ != nullptr && all_know_) {
    // Every rank fails with it. One that ends at once must not seem dead to one
    // that has not come so far.
    group_->Finish().IgnoreError();
  }
  const absl::Status group =
      group_ == nullptr ? absl::OkStatus() : group_->communicator().Health();
  if (group_ != nullptr && group.ok() && !all_know_) {
    group_->communicator().Abort(status);
  }
  // Ended by another rank: its failure is what people need, not where it
  // happened to be noticed here.
  const absl::Status shown = !group.ok() ? group : NameRank(status);
  const ExitCode code =
      group.ok() ? ExitCodeOf(status, stage.failure) : ExitCode::kCommunication;
  if (!environment_.say_failure ||
      !environment_.say_failure(NoteOf(shown, stage), code)) {
    environment_.logger.Log(runtime::LogLevel::kError, shown.message());
  }
  if (environment_.failures != nullptr && IsOursToShow(group)) {
    environment_.failures->Log(runtime::LogLevel::kError, shown.message());
  }
  return code;
}

runtime::FailureNote TrainingRun::NoteOf(const absl::Status& shown,
                                         const Stage& stage) const {
  runtime::FailureNote note;
  note.what = std::string(shown.message());
  note.where = std::string(stage.name);
  note.has_begun = has_begun_;
  if (step_in_progress_ > 0) {
    absl::StrAppend(&note.where, ", step ", step_in_progress_, " of ", steps_);
  }
  note.run_directory =
      directory_ == nullptr ? options_.run_dir : directory_->path();
  note.since_ns = runtime::WallTimeNs();
  return note;
}

// What other ranks say of themselves names them; the first one is as good as
// any.
absl::Status TrainingRun::NameRank(const absl::Status& status) const {
  const bool own = group_ != nullptr && IsFirst() && !all_know_;
  return own ? runtime::Annotate(status, "rank 0") : status;
}

bool TrainingRun::IsOursToShow(const absl::Status& group) const {
  // Our launcher keeps it, and shows it if rank 0 could not.
  if (environment_.rank->launcher != 0) {
    return true;
  }
  if (group.ok()) {
    return !all_know_;
  }
  // It was this rank that waited in vain, perhaps for rank 0.
  const std::string own = absl::StrCat("rank ", environment_.rank->rank, ": ");
  return absl::StartsWith(group.message(), own) || group_->SpeaksForTheDead();
}

}  // namespace accel::tools
