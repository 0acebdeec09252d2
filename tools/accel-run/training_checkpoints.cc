// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Going on from a checkpoint, and saving them.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/restore.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

absl::Status Refuse(absl::string_view text) {
  return WithExitCode(absl::InvalidArgumentError(text), ExitCode::kCommandLine);
}

}  // namespace

void TrainingRun::MakeCheckpoints(const std::string& run_directory) {
  RunCheckpointsOptions options;
  options.run_directory = run_directory;
  options.interval = options_.checkpoint_every;
  options.retention = {options_.keep, options_.keep_every};
  options.patience = Timeout() / 2;
  checkpoints_ = std::make_unique<RunCheckpoints>(
      environment_.vfs, options,
      group_ == nullptr ? nullptr : &group_->communicator(),
      environment_.logger);
}

absl::Status TrainingRun::FindCheckpoint() {
  const bool saves = options_.checkpoint_every.IsSet();
  if (options_.run_dir.empty() && saves && processes() > 1) {
    return Refuse(
        "--checkpoint-every: expected --run-dir, where all ranks write, got "
        "none; name it");
  }
  if (options_.run_dir.empty() && options_.resume == "auto") {
    return Refuse(
        "--resume=auto: expected --run-dir, whose checkpoints are looked "
        "through, got none; name it");
  }
  if (!options_.run_dir.empty() && (saves || !options_.resume.empty())) {
    MakeCheckpoints(options_.run_dir);
  } else if (!options_.resume.empty()) {
    MakeCheckpoints("");
  }
  if (options_.resume.empty()) {
    return absl::OkStatus();
  }
  auto found = checkpoints_->Find(options_.resume);
  all_know_ = checkpoints_->all_know();
  RETURN_IF_ERROR(found.status());
  resumed_ = *std::move(found);
  const absl::Status fits =
      resumed_ == nullptr ? absl::OkStatus() : CheckResumed();
  all_know_ = !fits.ok();
  return fits;
}

absl::Status TrainingRun::CheckResumed() {
  const runtime::CheckpointManifest& manifest = resumed_->manifest();
  const std::string folder = absl::StrCat("'", resumed_->folder(), "'");
  RETURN_IF_ERROR(WithExitCode(runtime::CheckFits(plan_->view(), *resumed_),
                               ExitCode::kCommandLine));
  if (manifest.seed != options_.seed) {
    return Refuse(absl::StrCat(folder, " is of a run with --seed ",
                               manifest.seed, ", got --seed ", options_.seed,
                               "; samples and dropout follow from it, go on "
                               "with the same"));
  }
  if (manifest.shuffle != options_.shuffle) {
    return Refuse(absl::StrCat(
        folder, " is of a run with --shuffle=", manifest.shuffle ? "on" : "off",
        "; go on with the same, as samples would be taken twice otherwise"));
  }
  if (manifest.data_sha256 != dataset_->identity() &&
      !options_.allow_data_change) {
    return Refuse(absl::StrCat(
        folder,
        " is of a run on other data; go on with the same files, or say "
        "that these are meant (--allow-data-change): sample ",
        manifest.samples, " of these is the next one then"));
  }
  if (manifest.step > steps_) {
    return Refuse(absl::StrCat(folder, " is of step ", manifest.step,
                               ", --steps is ", steps_,
                               "; it counts from the beginning: give more"));
  }
  origin_ = {manifest.step, manifest.samples};
  skipped_steps_ = manifest.skipped_steps;
  if (options_.resume == "auto") {
    checkpoints_->NoteSaved(manifest.step);
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::Restore() {
  ASSIGN_OR_RETURN(
      const std::vector<std::string> fresh,
      runtime::ListNewScalars(plan_->view(), resumed_->manifest()));
  if (!fresh.empty() && IsFirst()) {
    environment_.logger.Log(
        runtime::LogLevel::kInfo,
        absl::StrCat("not in the checkpoint, so as in a new run: ",
                     absl::StrJoin(fresh, ", ")));
  }
  const std::string folder = resumed_->folder();
  return executor_->Initialize([&](runtime::Executor& rank,
                                   runtime::Executor::RestoredPart part) {
    // Each rank reads for itself.
    auto checkpoint = runtime::Checkpoint::Open(environment_.vfs, folder);
    return checkpoint.ok()
               ? runtime::RestorePart(plan_->view(), **checkpoint, rank, part)
               : checkpoint.status();
  });
}

int64_t TrainingRun::SamplesAfter(int64_t steps) const {
  return origin_.sample + (steps - origin_.step) * global_batch_;
}

runtime::CheckpointManifest TrainingRun::ManifestOf(int64_t steps) const {
  runtime::CheckpointManifest manifest;
  manifest.step = steps;
  manifest.samples = SamplesAfter(steps);
  manifest.skipped_steps = skipped_steps_;
  manifest.seed = options_.seed;
  manifest.shuffle = options_.shuffle;
  manifest.global_batch = global_batch_;
  manifest.horizon = steps_;
  manifest.ranks = ranks();
  manifest.accel_version = ACCEL_VERSION;
  manifest.optimizer = plan_->manifest().optimizer().kind();
  manifest.plan_sha256 = runtime::ToHex(plan_->root());
  manifest.data_sha256 = dataset_->identity();
  return manifest;
}

absl::Status TrainingRun::ReserveCopy() {
  if (!options_.checkpoint_async) {
    return absl::OkStatus();
  }
  const auto binding = runtime::RankBinding::OfRun(
      plan_->manifest(), group_ == nullptr ? 0 : group_->rank(),
      static_cast<uint64_t>(ranks()), 1);
  ASSIGN_OR_RETURN(
      const uint64_t bytes,
      runtime::CheckpointBytes(plan_->manifest(), binding, processes()));
  const runtime::AvailableMemory available = runtime::ReadShareOfMemory(
      environment_.vfs, static_cast<int>(processes()));
  if (bytes > available.bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "--checkpoint-async: expected ", runtime::FormatBytes(bytes),
        " for a copy of what this rank saves, got ",
        runtime::FormatBytes(available.bytes), " by ", available.source,
        "; leave it out, and steps wait for checkpoints"));
  }
  copy_bytes_ = bytes;
  if (!options_.check) {
    copy_ = std::make_shared<runtime::StateCopy>(bytes);
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::SaveCheckpoint(runtime::CheckpointManifest manifest) {
  return checkpoints_->Save(
      plan_->view(), *executor_, std::move(manifest),
      [metrics = metrics_, patience = LinePatience(options_) / 2] {
        return metrics->Sync(patience);
      },
      copy_);
}

absl::Status TrainingRun::SaveNow(runtime::CheckpointManifest manifest) {
  RETURN_IF_ERROR(SaveCheckpoint(std::move(manifest)));
  return checkpoints_->Finish();
}

absl::Status TrainingRun::CheckRoomForCheckpoint(
    const std::string& folder) const {
  if (!SavesCheckpoints()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      const uint64_t bytes,
      runtime::CheckpointBytes(plan_->manifest(), runtime::RankBinding(), 1));
  ASSIGN_OR_RETURN(const uint64_t room, environment_.vfs.FreeBytes(folder));
  return room >= bytes
             ? absl::OkStatus()
             : WithExitCode(
                   absl::ResourceExhaustedError(absl::StrCat(
                       "--checkpoint-every: expected room for a checkpoint of ",
                       runtime::FormatBytes(bytes), " in '", folder, "', got ",
                       runtime::FormatBytes(room),
                       "; make room there, or choose another --run-dir")),
                   ExitCode::kInputOutput);
}

absl::Status TrainingRun::NoteScalars() {
  if (SavesCheckpoints() && !SkipsNonFinite()) {
    ASSIGN_OR_RETURN(scalars_before_,
                     runtime::ReadScalars(plan_->view(), *executor_));
  }
  return absl::OkStatus();
}

void TrainingRun::SaveBeforeHalt() {
  if (checkpoints_->last_saved() == *halted_after_) {
    return;
  }
  runtime::CheckpointManifest manifest = ManifestOf(*halted_after_);
  manifest.skipped_steps -= 1;  // the one that was not finite is not taken yet
  manifest.scalars = scalars_before_;
  const absl::Status status = SaveNow(std::move(manifest));
  if (!status.ok()) {
    environment_.logger.Log(runtime::LogLevel::kError, status.message());
  }
}

absl::Status TrainingRun::SaveIfDue(int64_t steps) {
  if (!SavesCheckpoints()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(checkpoints_->Poll());
  ASSIGN_OR_RETURN(const bool due, checkpoints_->IsDue(steps));
  return due ? SaveCheckpoint(ManifestOf(steps)) : absl::OkStatus();
}

absl::Status TrainingRun::SaveLast(int64_t steps) {
  if (!SavesCheckpoints()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(checkpoints_->Finish());
  return checkpoints_->last_saved() == steps ? absl::OkStatus()
                                             : SaveNow(ManifestOf(steps));
}

}  // namespace accel::tools
