// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first process makes, names and removes folders; all write and vote.
#include "tools/accel-run/run_checkpoints.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/ballot.h"
#include "runtime/checkpoint/restore.h"
#include "runtime/checkpoint/state_file.h"

namespace accel::tools {
namespace {

using runtime::Checkpoint;
using runtime::LogLevel;
using runtime::Verdict;

runtime::ProcessPlace PlaceOf(const runtime::Communicator* communicator) {
  return communicator == nullptr ? runtime::ProcessPlace{}
                                 : runtime::ProcessPlace{communicator->rank(),
                                                         communicator->ranks()};
}

uint64_t BytesOf(const runtime::CheckpointManifest& manifest) {
  uint64_t bytes = 0;
  for (const runtime::CheckpointFile& file : manifest.files) {
    bytes += file.bytes;
  }
  return bytes;
}

}  // namespace

absl::StatusOr<CheckpointInterval> ParseInterval(const std::string& text) {
  int64_t number = 0;
  int64_t unit = 0;
  if (!text.empty()) {
    const char last = text.back();
    unit = last == 's' ? 1 : last == 'm' ? 60 : last == 'h' ? 3600 : 0;
  }
  const std::string digits = unit == 0 ? text : text.substr(0, text.size() - 1);
  if (!absl::SimpleAtoi(digits, &number) || number < 1 ||
      number > (int64_t{1} << 31)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a number of steps, as 50, or a time, as 90s, "
                     "10m or 2h, got '",
                     text, "'"));
  }
  CheckpointInterval interval;
  (unit == 0 ? interval.steps : number) = number;
  interval.time = std::chrono::seconds(unit * number);
  return interval;
}

RunCheckpoints::RunCheckpoints(runtime::Vfs& vfs,
                               const RunCheckpointsOptions& options,
                               runtime::Communicator* communicator,
                               const runtime::Logger& logger)
    : vfs_(vfs),
      options_(options),
      communicator_(communicator),
      logger_(logger),
      place_(PlaceOf(communicator)),
      store_(vfs, options.run_directory),
      last_time_(std::chrono::steady_clock::now()) {}

void RunCheckpoints::ShowProgress() const {
  if (communicator_ != nullptr) {
    communicator_->ReportProgress();
  }
}

//===----------------------------------------------------------------------===//
// Going on
//===----------------------------------------------------------------------===//

// Each process reads the files that are its share.
absl::StatusOr<Verdict> RunCheckpoints::Check(const std::string& folder) {
  const auto check = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto checkpoint, Checkpoint::Open(vfs_, folder));
    const size_t files = checkpoint->manifest().files.size();
    for (size_t i = place_.index; i < files; i += place_.count) {
      RETURN_IF_ERROR(checkpoint->Verify(i, [this] { ShowProgress(); }));
    }
    return absl::OkStatus();
  };
  return runtime::Vote(communicator_, "the checkpoint's hashes", check());
}

absl::StatusOr<std::unique_ptr<Checkpoint>> RunCheckpoints::FindNewest() {
  std::vector<int64_t> steps;
  absl::Status listed;
  if (IsFirst()) {
    auto found = store_.List();
    listed = found.status();
    steps = found.ok() ? *std::move(found) : std::vector<int64_t>();
  }
  ASSIGN_OR_RETURN(
      const Verdict verdict,
      runtime::Vote(communicator_, "the list of checkpoints", listed));
  all_know_ = !verdict.status.ok();
  RETURN_IF_ERROR(verdict.status);
  ASSIGN_OR_RETURN(const int64_t count,
                   runtime::Tell(communicator_, "the number of checkpoints",
                                 static_cast<int64_t>(steps.size())));
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const int64_t step,
                     runtime::Tell(communicator_, "a checkpoint's step",
                                   IsFirst() ? steps[i] : 0));
    const std::string folder = store_.Folder(step);
    ASSIGN_OR_RETURN(const Verdict checked, Check(folder));
    if (checked.status.ok()) {
      return Checkpoint::Open(vfs_, folder);
    }
    if (IsFirst()) {
      logger_.Log(LogLevel::kWarning,
                  absl::StrCat("the checkpoint of step ", step,
                               " cannot be used: ", checked.status.message()));
    }
  }
  if (count > 0) {
    all_know_ = true;
    return absl::DataLossError(absl::StrCat(
        "--resume=auto: none of ", runtime::Amount(count, "checkpoint"),
        " of '", options_.run_directory,
        "' is intact; give the folder of another one (--resume PATH), or start "
        "a new run in another --run-dir"));
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Checkpoint>> RunCheckpoints::Find(
    const std::string& resume) {
  if (resume == "auto") {
    return FindNewest();
  }
  ASSIGN_OR_RETURN(const Verdict checked, Check(resume));
  all_know_ = !checked.status.ok();
  RETURN_IF_ERROR(checked.status);
  return Checkpoint::Open(vfs_, resume);
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

absl::StatusOr<bool> RunCheckpoints::IsDue(int64_t step) {
  const CheckpointInterval& interval = options_.interval;
  if (interval.steps > 0) {
    return step % interval.steps == 0;
  }
  if (interval.time.count() == 0) {
    return false;
  }
  // By one clock.
  const bool due =
      std::chrono::steady_clock::now() - last_time_ >= interval.time;
  ASSIGN_OR_RETURN(
      const int64_t agreed,
      runtime::Tell(communicator_, "whether to save", due ? 1 : 0));
  return agreed != 0;
}

absl::StatusOr<Verdict> RunCheckpoints::SaveAll(
    const runtime::PlanView& plan, const runtime::Executor& executor,
    runtime::CheckpointManifest& manifest,
    const std::function<absl::Status()>& first) {
  const auto begin = [&] {
    return IsFirst() ? store_.Begin(manifest.step) : absl::OkStatus();
  };
  ASSIGN_OR_RETURN(
      Verdict verdict,
      runtime::Vote(communicator_, "the checkpoint's folder", begin()));
  if (!verdict.status.ok()) {
    return verdict;
  }
  const auto write = [&]() -> absl::StatusOr<runtime::CheckpointFile> {
    ASSIGN_OR_RETURN(const auto tensors, runtime::ListStateTensors(plan));
    ASSIGN_OR_RETURN(const auto parts,
                     runtime::PartsToWrite(tensors, executor, place_));
    return runtime::WriteStateFile(vfs_, store_.NewFolder(manifest.step), parts,
                                   executor, place_,
                                   [this] { ShowProgress(); });
  };
  const auto file = write();
  ASSIGN_OR_RETURN(
      verdict,
      runtime::Vote(communicator_, "the checkpoint's files", file.status(),
                    file.ok() ? *file : runtime::CheckpointFile{}));
  if (!verdict.status.ok()) {
    return verdict;
  }
  manifest.files = std::move(verdict.files);
  const auto commit = [&]() -> absl::Status {
    if (!IsFirst()) {
      return absl::OkStatus();
    }
    if (manifest.scalars.empty()) {
      ASSIGN_OR_RETURN(manifest.scalars, runtime::ReadScalars(plan, executor));
    }
    RETURN_IF_ERROR(first());
    return store_.Commit(manifest.step, manifest);
  };
  return runtime::Vote(communicator_, "the checkpoint's name", commit());
}

void RunCheckpoints::Prune() {
  const absl::Status status = store_.Prune(options_.retention);
  if (!status.ok()) {
    logger_.Log(LogLevel::kWarning,
                absl::StrCat("old checkpoints could not be removed: ",
                             status.message()));
  }
}

absl::Status RunCheckpoints::Save(const runtime::PlanView& plan,
                                  const runtime::Executor& executor,
                                  runtime::CheckpointManifest manifest,
                                  const std::function<absl::Status()>& first) {
  const auto started = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const Verdict verdict,
                   SaveAll(plan, executor, manifest, first));
  const absl::Status& status = verdict.status;
  last_time_ = std::chrono::steady_clock::now();
  if (status.ok()) {
    last_saved_ = manifest.step;
  }
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  if (!status.ok()) {
    store_.Abandon(manifest.step);
    logger_.Log(LogLevel::kWarning,
                absl::StrCat("the checkpoint of step ", manifest.step,
                             " could not be saved, training goes on: ",
                             status.message()));
    return absl::OkStatus();
  }
  Prune();
  logger_.Log(LogLevel::kInfo,
              absl::StrCat("checkpoint of step ", manifest.step, ": ",
                           runtime::FormatBytes(BytesOf(manifest)), " in ",
                           runtime::FormatDuration(last_time_ - started), ", '",
                           store_.Folder(manifest.step), "'"));
  return absl::OkStatus();
}

}  // namespace accel::tools
