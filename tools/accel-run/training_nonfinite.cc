// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run does after a step whose loss or gradient is not finite.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

using runtime::NonFiniteFault;
using runtime::ReplayReport;
using runtime::StepMetrics;

// The square of an f32 above this, or the sum of the squares of a row of 128 of
// them, may be too large for an f32.
constexpr double kLargeGradient = 1.6e18;

constexpr absl::string_view kSmallerSteps =
    "try a smaller learning rate (--set lr=...) or a longer warm-up (--set "
    "warmup_steps=...)";

// Whether the loss is finite and the gradient is not, of a plan that scales
// gradients.
bool IsOverflow(const StepMetrics& metrics) {
  return metrics.loss_scale && std::isfinite(metrics.loss);
}

std::string StepRemedy(const runtime::PlanView& plan) {
  return plan.manifest().precision() == planpb::ELEMENT_F16
             ? absl::StrCat(
                   "if it is a number above 65504, the largest of fp16, "
                   "compile with --bf16, or leave that product in f32 "
                   "(--precision-exclude); otherwise ",
                   kSmallerSteps)
             : std::string(kSmallerSteps);
}

std::string Remedy(const runtime::PlanView& plan, const NonFiniteFault& fault,
                   int64_t step) {
  switch (fault.kind) {
    case NonFiniteFault::kInput:
      return "correct the data, or leave that row out";
    case NonFiniteFault::kParameter:
      return step == 1 ? "the model's file holds it, or its initialization "
                         "made it; correct the model"
                       : absl::StrCat("the update of an earlier step made it; ",
                                      kSmallerSteps);
    default:
      return StepRemedy(plan);
  }
}

// The step was finite when it was executed once more.
std::string FiniteText(const runtime::PlanView& plan,
                       const StepMetrics& metrics, const ReplayReport& report) {
  const std::string largest =
      absl::StrCat("the largest gradient is ",
                   runtime::FormatRoundTrip(report.largest_gradient), ", ",
                   runtime::PlaceText(plan, report.largest_place));
  if (std::isfinite(metrics.loss) && std::isinf(metrics.grad_norm) &&
      report.largest_gradient > kLargeGradient) {
    return absl::StrCat(
        "All losses and gradients are finite; the sum of the squared gradients "
        "is not: ",
        largest, ". Remedy: ", kSmallerSteps);
  }
  return absl::StrCat(
      "Executed once more, the step was finite: ", largest,
      ". The same program gave two results from the same data. Remedy: test "
      "the memory and the processor of this machine");
}

// Where it went wrong, and what to do.
std::string CauseText(const runtime::PlanView& plan,
                      const runtime::Dataset& data, const StepMetrics& metrics,
                      const ReplayReport& report) {
  const std::string row =
      report.first.row < 0 ? "" : data.DescribeRow(report.first.row);
  return report.first.kind == NonFiniteFault::kNone
             ? FiniteText(plan, metrics, report)
             : absl::StrCat(
                   "The first is on ",
                   runtime::FaultText(plan, report.first, row),
                   ". Remedy: ", Remedy(plan, report.first, metrics.step));
}

}  // namespace

bool TrainingRun::SkipsNonFinite() const {
  return options_.skip_nonfinite.value_or(plan_->manifest().on_nonfinite() ==
                                          planpb::NONFINITE_SKIP);
}

bool TrainingRun::IsFinite(const StepMetrics& metrics,
                           const std::vector<double>& values) const {
  const auto tested = plan_->view().FindMetric("finite");
  return tested ? values[*tested] == 1.0
                : std::isfinite(metrics.loss) &&
                      (std::isfinite(metrics.grad_norm) ||
                       !plan_->view().FindMetric("grad_norm"));
}

absl::Status TrainingRun::HandleNonFinite(const StepMetrics& metrics) {
  const bool overflows = IsOverflow(metrics);
  if (overflows && *metrics.loss_scale > 1) {
    return absl::OkStatus();  // the plan has lowered its scale
  }
  const std::string found = absl::StrCat(
      "step ", metrics.step, ": expected a finite loss and gradient, got loss ",
      runtime::FormatRoundTrip(metrics.loss), " and gradient norm ",
      runtime::FormatRoundTrip(metrics.grad_norm),
      overflows ? absl::StrCat(" with loss scale ",
                               runtime::FormatRoundTrip(*metrics.loss_scale),
                               ", which cannot be lowered any more")
                : "");
  if (!plan_->view().FindMetric("finite")) {
    all_know_ = true;
    return WithExitCode(
        absl::OutOfRangeError(absl::StrCat(
            found,
            "; the weights are unusable, as this plan updates them all the "
            "same; compile it again with this release's accelc")),
        ExitCode::kDivergence);
  }
  const bool skips = SkipsNonFinite() && !overflows;
  if (skips && named_cause_) {
    return absl::OkStatus();
  }
  // The state stands still while all ranks look for the cause.
  ASSIGN_OR_RETURN(const ReplayReport report,
                   executor_->ReplayStep(metrics.step - 1));
  const std::string text =
      absl::StrCat(found, "; the step changed no weight. ",
                   CauseText(plan_->view(), *dataset_, metrics, report));
  // Weights that are not finite stay so: no later step would be, and they are
  // not worth keeping.
  const bool usable = report.first.kind != NonFiniteFault::kParameter;
  if (skips && usable) {
    named_cause_ = true;
    environment_.logger.Log(
        runtime::LogLevel::kWarning,
        absl::StrCat(text, "; later steps that are not finite are counted"));
    return absl::OkStatus();
  }
  all_know_ = true;
  if (usable) {
    halted_after_ = metrics.step - 1;
  }
  return WithExitCode(
      absl::OutOfRangeError(absl::StrCat(
          text, usable && !overflows
                    ? "; or go on without such steps (--on-nonfinite=skip)"
                    : "")),
      ExitCode::kDivergence);
}

void TrainingRun::EndTogether() {
  if (SavesCheckpoints()) {
    const absl::Status status = checkpoints_->Finish();
    if (!status.ok()) {
      environment_.logger.Log(runtime::LogLevel::kError, status.message());
    }
  }
  if (halted_after_) {
    KeepLastGood();
    if (SavesCheckpoints()) {
      SaveBeforeHalt();
    }
  }
  if (group_ != nullptr) {
    // What is said is the step, whoever has left before.
    group_->Finish().IgnoreError();
  }
}

void TrainingRun::KeepLastGood() {
  absl::Status status = Export(/*together=*/true);
  if (status.ok() && IsFirst()) {
    status = Export(/*together=*/false);
  }
  if (!status.ok()) {
    environment_.logger.Log(runtime::LogLevel::kError, status.message());
    return;
  }
  for (const std::string* path :
       {&options_.export_path, &options_.export_ema}) {
    if (IsFirst() && !path->empty()) {
      environment_.logger.Log(
          runtime::LogLevel::kInfo,
          absl::StrCat("'", *path, "' has the weights before that step"));
    }
  }
}

}  // namespace accel::tools
