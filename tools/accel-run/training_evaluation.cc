// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations between the steps of a run, and --evaluate, which does nothing
// else.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "runtime/base/amount.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/ballot.h"
#include "runtime/checkpoint/restore.h"
#include "runtime/export/averages.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

// The state of a plan whose scales of activations follow from steps before.
constexpr absl::string_view kDelayedScale = "delayed_scale";

// "loss 3.1234567 over 12,345 targets". As many digits as tell apart what
// differs in the last bits of f32.
std::string LossText(const runtime::EvaluationMetrics& metrics) {
  return absl::StrFormat("loss %.9g over %s %s", metrics.loss,
                         runtime::FormatCount(metrics.tokens),
                         metrics.tokens == 1 ? "target" : "targets");
}

}  // namespace

absl::Status TrainingRun::OpenEvaluation() {
  if (options_.eval_data.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      evaluation_,
      RunEvaluation::Open(environment_.vfs, *plan_, options_.plan,
                          {options_.eval_data, options_.eval_every, ranks()}));
  return absl::OkStatus();
}

void TrainingRun::AddEvaluationFacts(runtime::RankFacts& facts) const {
  const runtime::Dataset* const data = EvaluationData();
  facts.push_back(
      {"--eval-data sha256", data == nullptr ? "none" : data->identity()});
  facts.push_back({"--eval-every", absl::StrCat(options_.eval_every)});
  facts.push_back({"--evaluate", options_.evaluate ? "on" : "off"});
  facts.push_back({"--eval-ema", options_.eval_ema ? "on" : "off"});
}

absl::StatusOr<runtime::EvaluationMetrics> TrainingRun::Measure(int64_t steps) {
  NoteBegin(planpb::FUNCTION_EVALUATE, steps - 1);
  return evaluation_->Measure(*executor_, steps, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const bool stop, ShallStop());
    return stop ? absl::CancelledError("the evaluation was given up")
                : absl::OkStatus();
  });
}

absl::Status TrainingRun::EvaluateIfDue(int64_t steps) {
  if (evaluation_ == nullptr || !evaluation_->IsDue(steps, steps_)) {
    return absl::OkStatus();
  }
  const auto measured = Measure(steps);
  if (absl::IsCancelled(measured.status())) {
    stopped_after_ = steps;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(measured.status());
  last_evaluation_ = *measured;
  if (metrics_ != nullptr) {
    metrics_->Write(*measured);
  }
  Print(absl::StrCat(
      "evaluation behind step ", steps, ": ", LossText(*measured), " in ",
      runtime::FormatDuration(std::chrono::nanoseconds(measured->ns))));
  return absl::OkStatus();
}

// One that was due where the run goes on may have been given up, or may not
// have been asked for then.
absl::Status TrainingRun::EvaluateMissed() {
  if (evaluation_ == nullptr || origin_.step == 0 ||
      !evaluation_->IsDue(origin_.step, steps_)) {
    return absl::OkStatus();
  }
  bool has = false;
  if (IsFirst()) {
    ASSIGN_OR_RETURN(
        has, runtime::EndsWithEvaluation(
                 environment_.vfs, directory_->metrics_path(), origin_.step));
  }
  ASSIGN_OR_RETURN(
      const int64_t agreed,
      runtime::Tell(group_ == nullptr ? nullptr : &group_->communicator(),
                    "whether there is an evaluation", has ? 1 : 0));
  return agreed != 0 ? absl::OkStatus() : EvaluateIfDue(origin_.step);
}

//===----------------------------------------------------------------------===//
// --evaluate
//===----------------------------------------------------------------------===//

ExitCode TrainingRun::RunEvaluationAlone() {
  constexpr Stage kStages[] = {
      {&TrainingRun::JoinRanks, ExitCode::kCommunication, "joining the ranks"},
      {&TrainingRun::OpenPlan, ExitCode::kInputOutput,
       "reading and hashing the plan"},
      {&TrainingRun::CheckFiles, ExitCode::kCommandLine,
       "checking what will be written"},
      {&TrainingRun::ReadTuned, ExitCode::kInputOutput,
       "reading the tuned products"},
      {&TrainingRun::OpenEvaluationAlone, ExitCode::kData, "reading the data"},
      {&TrainingRun::CompareRanks, ExitCode::kCommandLine,
       "comparing the ranks"},
      {&TrainingRun::FindEvaluated, ExitCode::kInputOutput,
       "finding a checkpoint"},
      {&TrainingRun::CreateExecutor, ExitCode::kInputOutput,
       "starting the streams"},
      {&TrainingRun::InitializeEvaluated, ExitCode::kInputOutput,
       "initial weights and state"},
      {&TrainingRun::EvaluateAlone, ExitCode::kInputOutput, "evaluating"},
  };
  return RunStages(kStages);
}

absl::Status TrainingRun::OpenEvaluationAlone() {
  global_batch_ =
      static_cast<int64_t>(plan_->manifest().default_global_batch());
  return OpenEvaluation();
}

absl::Status TrainingRun::FindEvaluated() {
  if (options_.resume.empty() && options_.run_dir.empty()) {
    return absl::OkStatus();
  }
  MakeCheckpoints(options_.run_dir);
  auto found =
      checkpoints_->Find(options_.resume.empty() ? "auto" : options_.resume);
  all_know_ = checkpoints_->all_know();
  RETURN_IF_ERROR(found.status());
  resumed_ = *std::move(found);
  // The same on all ranks.
  all_know_ = true;
  if (resumed_ == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "'", options_.run_dir,
        "': expected a checkpoint to evaluate, got none; name another run, or "
        "the folder of a checkpoint (--resume PATH), or leave out --run-dir to "
        "evaluate the plan's own weights"));
  }
  RETURN_IF_ERROR(WithExitCode(runtime::CheckFits(plan_->view(), *resumed_),
                               ExitCode::kCommandLine));
  if (options_.eval_ema) {
    RETURN_IF_ERROR(
        WithExitCode(CheckEvaluatedAverages(), ExitCode::kCommandLine));
  }
  all_know_ = false;
  origin_ = {resumed_->manifest().step, resumed_->manifest().samples};
  return absl::OkStatus();
}

absl::Status TrainingRun::CheckEvaluatedAverages() const {
  for (const planpb::State& state : plan_->manifest().states()) {
    if (state.name() == kDelayedScale) {
      return absl::FailedPreconditionError(
          "--eval-ema: expected a plan whose scales are those of what it "
          "computes, got one of accelc --fp8=delayed, whose scales are of what "
          "the parameters gave; write the averages with accel-inspect run "
          "--ema --export average.onnx, and evaluate a plan of that file");
    }
  }
  return runtime::Annotate(runtime::CheckAverages(*resumed_), "--eval-ema");
}

absl::Status TrainingRun::RestoreAverages() {
  const std::string folder = resumed_->folder();
  // Nothing else is read: what is made of parameters is made of averages.
  return executor_->Initialize(
      [&](runtime::Executor& rank,
          runtime::Executor::RestoredPart part) -> absl::Status {
        if (part != runtime::Executor::RestoredPart::kParameters) {
          return absl::OkStatus();
        }
        ASSIGN_OR_RETURN(const auto checkpoint,
                         runtime::Checkpoint::Open(environment_.vfs, folder));
        return runtime::RestoreAverages(plan_->view(), *checkpoint, rank);
      });
}

absl::Status TrainingRun::InitializeEvaluated() {
  PrintMachine();
  Print(absl::StrCat("eval    ", evaluation_->Describe()));
  Print(absl::StrCat(
      "weights ",
      resumed_ == nullptr
          ? std::string("of the plan")
          : absl::StrCat(options_.eval_ema ? "averages " : "", "behind step ",
                         origin_.step, ", from '", resumed_->folder(), "'")));
  NoteBegin(planpb::FUNCTION_INITIALIZE, 0);
  return resumed_ == nullptr ? executor_->Initialize()
         : options_.eval_ema ? RestoreAverages()
                             : Restore();
}

absl::Status TrainingRun::EvaluateAlone() {
  const auto measured = Measure(origin_.step);
  if (absl::IsCancelled(measured.status())) {
    environment_.logger.Log(
        runtime::LogLevel::kInfo,
        absl::StrCat("stopped by ", runtime::SignalName(stop_signal_),
                     " before the evaluation was done"));
  } else {
    RETURN_IF_ERROR(measured.status());
    // What was asked for, also with --quiet.
    environment_.console.PrintLine(
        absl::StrCat(LossText(*measured), ", ",
                     runtime::Amount(evaluation_->dataset().size(), "sample")));
  }
  return group_ == nullptr ? absl::OkStatus() : group_->Finish();
}

}  // namespace accel::tools
