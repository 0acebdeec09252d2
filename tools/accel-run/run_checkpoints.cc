// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saves go on part after part: at once, or whenever all processes have done
// theirs.
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
      damaged_.insert(step);
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

absl::Status RunCheckpoints::Save(const runtime::PlanView& plan,
                                  const runtime::Executor& executor,
                                  runtime::CheckpointManifest manifest,
                                  std::function<absl::Status()> first,
                                  std::shared_ptr<runtime::StateCopy> copy) {
  const auto started = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(Finish());
  own_ = stuck_ == nullptr && cleaning_ == nullptr
             ? absl::OkStatus()
             : absl::UnavailableError(
                   "the disk has not answered to the save before");
  in_background_ = copy != nullptr;
  save_ = std::make_shared<CheckpointSave>(
      vfs_, store_, place_, std::move(manifest), std::move(first));
  if (damaged_.erase(save_->step()) > 0) {
    save_->SetAside();
  }
  if (own_.ok()) {
    own_ = save_->Read(plan, executor, std::move(copy));
  }
  last_time_ = std::chrono::steady_clock::now();
  waited_ = last_time_ - started;
  BeginPart();
  return in_background_ ? absl::OkStatus() : Finish();
}

void RunCheckpoints::BeginPart() {
  if (!own_.ok()) {
    return;  // which the vote will say
  }
  if (!in_background_) {
    own_ = save_->Do([this] {
      ShowProgress();
      return absl::OkStatus();
    });
    return;
  }
  auto job = runtime::BackgroundJob::Start(
      absl::StrCat("the checkpoint of step ", save_->step()),
      [save = save_](runtime::BackgroundJob::Control& control) {
        return save->Do([&control] {
          control.NoteProgress();
          return control.IsGivenUp() ? absl::CancelledError("the run has ended")
                                     : absl::OkStatus();
        });
      });
  own_ = job.status();
  if (job.ok()) {
    job_ = *std::move(job);
  }
}

absl::Status RunCheckpoints::EndPart() {
  if (job_ != nullptr && job_->IsDone()) {
    own_ = job_->status();
    job_.reset();
  }
  ASSIGN_OR_RETURN(const Verdict verdict, save_->Vote(communicator_, own_));
  if (!verdict.status.ok() || save_->is_whole()) {
    EndSave(verdict.status);
  } else {
    BeginPart();
  }
  return absl::OkStatus();
}

absl::Status RunCheckpoints::Poll() {
  if (save_ == nullptr) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      const bool all_are_done,
      runtime::AllAgree(communicator_, "whether the checkpoint's part is done",
                        job_ == nullptr || job_->IsDone()));
  return all_are_done ? EndPart() : absl::OkStatus();
}

absl::Status RunCheckpoints::Finish() {
  while (save_ != nullptr) {
    if (job_ != nullptr) {
      // What does not get on stays where it is, and is voted against.
      own_ = job_->WaitUntilDone(options_.patience, [this] { ShowProgress(); });
    }
    RETURN_IF_ERROR(EndPart());
  }
  AwaitRest();
  return absl::OkStatus();
}

void RunCheckpoints::EndSave(const absl::Status& status) {
  const std::shared_ptr<CheckpointSave> save = std::exchange(save_, nullptr);
  const auto now = std::chrono::steady_clock::now();
  if (!in_background_) {
    last_time_ = now;
  }
  if (job_ != nullptr) {
    stuck_ = std::move(job_);
  }
  if (status.ok()) {
    last_saved_ = save->step();
  }
  if (!IsFirst()) {
    return;
  }
  if (status.ok()) {
    logger_.Log(
        LogLevel::kInfo,
        absl::StrCat("checkpoint of step ", save->step(), ": ",
                     runtime::FormatBytes(save->bytes()), " in ",
                     runtime::FormatDuration(now - save->started()),
                     in_background_
                         ? absl::StrCat(", for which training has waited ",
                                        runtime::FormatDuration(waited_))
                         : "",
                     ", '", store_.Folder(save->step()), "'"));
  } else {
    logger_.Log(LogLevel::kWarning,
                absl::StrCat("the checkpoint of step ", save->step(),
                             " could not be saved, training goes on: ",
                             status.message()));
  }
  if (stuck_ == nullptr && cleaning_ == nullptr) {
    CleanUp(*save, status.ok());
  }
}

void RunCheckpoints::CleanUp(const CheckpointSave& save, bool saved) {
  auto clean = [store = store_, step = save.step(),
                retention = options_.retention,
                saved]() mutable -> absl::Status {
    if (saved) {
      return store.Prune(retention);
    }
    store.Abandon(step);
    return absl::OkStatus();
  };
  if (!in_background_) {
    NoteCleaned(clean());
    return;
  }
  auto job = runtime::BackgroundJob::Start(
      "the removal of old checkpoints",
      [clean](runtime::BackgroundJob::Control&) mutable { return clean(); });
  if (job.ok()) {
    cleaning_ = *std::move(job);
  } else {
    NoteCleaned(job.status());
  }
}

void RunCheckpoints::NoteCleaned(const absl::Status& status) const {
  if (!status.ok()) {
    logger_.Log(LogLevel::kWarning,
                absl::StrCat("old checkpoints could not be removed: ",
                             status.message()));
  }
}

// What is stuck has been waited for.
void RunCheckpoints::AwaitRest() {
  for (std::unique_ptr<runtime::BackgroundJob>* job : {&stuck_, &cleaning_}) {
    const bool is_late = job == &stuck_ || cleaning_is_late_;
    const auto patience =
        is_late ? std::chrono::nanoseconds(0) : options_.patience;
    if (*job == nullptr) {
      continue;
    }
    const bool is_done =
        (*job)->WaitUntilDone(patience, [this] { ShowProgress(); }).ok();
    if (job == &cleaning_) {
      cleaning_is_late_ = !is_done;
    }
    if (!is_done) {
      continue;
    }
    if (job == &cleaning_) {
      NoteCleaned(cleaning_->status());
    }
    job->reset();
  }
}

}  // namespace accel::tools
