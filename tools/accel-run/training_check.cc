// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check: what a run would fail of before its first step, all at once.
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/batch_plan.h"
#include "runtime/executor/step_driver.h"
#include "runtime/io/atomic_file.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {

// The plan is what all else is compared with. What one check finds keeps no
// other from looking, but for those that ask for data.
ExitCode TrainingRun::RunChecks() {
  constexpr Stage kPlan = {&TrainingRun::OpenPlan, ExitCode::kInputOutput,
                           "reading and hashing the plan"};
  constexpr Stage kData = {&TrainingRun::OpenData, ExitCode::kData,
                           "reading the data"};
  constexpr Stage kOfData[] = {{&TrainingRun::ResolveHyperparameters,
                                ExitCode::kCommandLine, "hyperparameters"},
                               {&TrainingRun::FindCheckpoint,
                                ExitCode::kInputOutput, "finding a checkpoint"},
                               {&TrainingRun::CheckRunOfData, ExitCode::kData,
                                "comparing the run with its data"}};
  constexpr Stage kOthers[] = {
      {&TrainingRun::CheckFiles, ExitCode::kCommandLine,
       "checking what will be written"},
      {&TrainingRun::ReadTuned, ExitCode::kInputOutput,
       "reading the tuned products"},
      {&TrainingRun::FindWeights, ExitCode::kInputOutput,
       "finding the weights"},
      {&TrainingRun::CheckMemory, ExitCode::kVerification, "comparing memory"},
      {&TrainingRun::CheckRunDirectory, ExitCode::kInputOutput,
       "looking at the run directory"}};
  std::optional<ExitCode> first;
  const auto passes = [&](const Stage& stage) {
    const absl::Status status = (this->*stage.run)();
    if (!status.ok()) {
      environment_.logger.Log(runtime::LogLevel::kError, status.message());
      first = first.value_or(ExitCodeOf(status, stage.failure));
    }
    return status.ok();
  };
  if (!passes(kPlan)) {
    return *first;
  }
  if (passes(kData)) {
    for (const Stage& stage : kOfData) {
      passes(stage);
    }
  }
  for (const Stage& stage : kOthers) {
    passes(stage);
  }
  if (!first) {
    Print(absl::StrCat(
        "checked  plan, code, data, options, memory and files for ",
        runtime::Amount(ranks(), "rank"), ", ", steps_,
        " steps: nothing that is known before the first step is wrong; nothing "
        "was started or written"));
  }
  return first.value_or(ExitCode::kOk);
}

// No rank has more than the first one.
absl::Status TrainingRun::CheckMemory() {
  const auto all = static_cast<uint64_t>(ranks());
  const auto binding = runtime::RankBinding::OfRun(
      plan_->manifest(), 0, all, static_cast<uint64_t>(device_->threads()));
  ASSIGN_OR_RETURN(const runtime::MemoryLayout layout,
                   runtime::MemoryLayout::Create(plan_->view(), binding));
  RETURN_IF_ERROR(runtime::StepDriver::Verify(plan_->view(), layout));
  RETURN_IF_ERROR(WithExitCode(
      runtime::BatchPlan::Create(
          global_batch_, static_cast<int64_t>(plan_->manifest().microbatch()),
          ranks(), 0, runtime::BatchRules::Of(plan_->manifest()))
          .status(),
      ExitCode::kCommandLine));
  RETURN_IF_ERROR(WithExitCode(ReserveCopy(), ExitCode::kMemory));
  return WithExitCode(device_->CheckMemory(layout, processes()),
                      ExitCode::kMemory);
}

absl::Status TrainingRun::CheckRunDirectory() {
  runtime::RunDirectoryOptions options;
  options.path = options_.run_dir;
  options.resumes = !options_.resume.empty();
  RETURN_IF_ERROR(runtime::RunDirectory::Check(environment_.vfs, options));
  if (checkpoints_ == nullptr && options_.checkpoint_every.IsSet()) {
    MakeCheckpoints(options_.run_dir);
  }
  return CheckRoomForCheckpoint(runtime::NearestThere(
      environment_.vfs,
      options_.run_dir.empty() ? options.parent : options_.run_dir));
}

}  // namespace accel::tools
