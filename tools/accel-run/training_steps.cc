// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a run: what each one reports, and when they end.
#include <chrono>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/process_end.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/executor/parameters.h"
#include "runtime/report/peak_memory.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

using runtime::StepMetrics;

int64_t NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

double TrainingRun::MetricOf(const std::vector<double>& values,
                             absl::string_view name) const {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto index = plan_->view().FindMetric(name);
  // The sign of a NaN means nothing, and would be shown.
  return index && !std::isnan(values[*index]) ? values[*index] : kNan;
}

absl::StatusOr<std::vector<double>> TrainingRun::RunOneStep(int64_t step) {
  step_in_progress_ = step + 1;
  NoteBegin(planpb::FUNCTION_STEP, step);
  const bool observes = IsFirst() || ReadTogether("gradient");
  if (step != origin_.step || options_.dump_gradients.empty() || !observes) {
    return executor_->RunStep(step);
  }
  return executor_->RunObservedStep(step, [this] {
    return DumpGradients(environment_.vfs, *plan_, *executor_,
                         options_.dump_gradients, Role());
  });
}

bool TrainingRun::ReadTogether(absl::string_view slot) const {
  return group_ != nullptr && runtime::IsSharded(plan_->view(), slot);
}

absl::StatusOr<uint64_t> TrainingRun::WorstPeak() {
  ASSIGN_OR_RETURN(const auto resident,
                   runtime::ReadResidentMemory(environment_.vfs));
  return group_ == nullptr ? resident.peak_bytes
                           : group_->WorstPeak(resident.peak_bytes);
}

absl::Status TrainingRun::TrainStep(int64_t step) {
  const auto start = std::chrono::steady_clock::now();
  if (step == origin_.step) {
    NoteTime("preparing the first step");
  }
  RETURN_IF_ERROR(NoteScalars());
  ASSIGN_OR_RETURN(const std::vector<double> values, RunOneStep(step));
  StepMetrics metrics;
  metrics.step = step + 1;
  metrics.step_ns = NanosecondsSince(start);
  if (const auto wait = executor_->DataWait()) {
    metrics.data_wait_ns = wait->count();
  }
  if (step == origin_.step) {
    PrintTimes(metrics.step_ns);
  }
  metrics.loss = MetricOf(values, "loss");
  metrics.lr = MetricOf(values, "lr");
  metrics.grad_norm = MetricOf(values, "grad_norm");
  const double tokens = MetricOf(values, "tokens");
  metrics.tokens = std::isfinite(tokens) ? std::llround(tokens) : 0;
  metrics.tokens_per_second = static_cast<double>(metrics.tokens) * 1e9 /
                              static_cast<double>(metrics.step_ns);
  ASSIGN_OR_RETURN(metrics.peak_bytes, WorstPeak());
  metrics.epoch = EpochAfter(metrics.step);
  const bool finite = IsFinite(metrics, values);
  skipped_steps_ += finite ? 0 : 1;
  metrics.skipped_steps = skipped_steps_;
  if (plan_->view().FindMetric("loss_scale")) {
    metrics.loss_scale = MetricOf(values, "loss_scale");
  }
  if (last_evaluation_) {
    metrics.eval_loss = last_evaluation_->loss;
  }
  metrics.wall_time_ns = runtime::WallTimeNs();
  if (metrics_ != nullptr) {
    metrics_->Write(metrics);
  }
  if (progress_ != nullptr) {
    progress_->Update(metrics);
  }
  summary_.AddStep(metrics);
  return finite ? absl::OkStatus() : HandleNonFinite(metrics);
}

absl::StatusOr<bool> TrainingRun::ShallStop() {
  stop_signal_ = environment_.stop_requested();
  if (group_ != nullptr) {
    ASSIGN_OR_RETURN(const int64_t agreed, group_->AgreeOnStop(stop_signal_));
    stop_signal_ = static_cast<int>(agreed);
  }
  return stop_signal_ != 0;
}

double TrainingRun::EpochAfter(int64_t steps) const {
  return dataset_->synthetic() ? std::numeric_limits<double>::quiet_NaN()
                               : static_cast<double>(SamplesAfter(steps)) /
                                     static_cast<double>(dataset_->size());
}

absl::Status TrainingRun::TrainSteps() {
  RETURN_IF_ERROR(EvaluateMissed());
  for (int64_t step = origin_.step; step < steps_ && !stopped_after_; ++step) {
    ASSIGN_OR_RETURN(const bool stop, ShallStop());
    if (stop) {
      stopped_after_ = step;
      break;
    }
    const absl::Status trained = TrainStep(step);
    if (absl::IsCancelled(trained)) {
      // One of the ranks was told to stop, and all have given the step up.
      ASSIGN_OR_RETURN(const bool all_stop, ShallStop());
      stopped_after_ = step;
      if (all_stop) {
        break;
      }
    }
    RETURN_IF_ERROR(trained);
    RETURN_IF_ERROR(EvaluateIfDue(step + 1));
    RETURN_IF_ERROR(SaveIfDue(step + 1));
  }
  return SaveLast(stopped_after_.value_or(steps_));
}

std::string TrainingRun::StopText() const {
  const std::string by =
      absl::StrCat("stopped by ", runtime::SignalName(stop_signal_));
  return *stopped_after_ == 0 ? absl::StrCat(by, " before step 1 of ", steps_)
                              : absl::StrCat(by, " after step ",
                                             *stopped_after_, " of ", steps_);
}

absl::Status TrainingRun::Train() {
  if (!options_.quiet) {
    runtime::ProgressOptions options;
    options.last_step = steps_;
    std::vector<std::string> tags;
    if (EmulatesFp8()) {
      tags.emplace_back("fp8 emulated");
    }
    if (dataset_->synthetic()) {
      tags.emplace_back("synthetic data");
    }
    options.tag = absl::StrJoin(tags, ", ");
    progress_ =
        std::make_unique<runtime::ProgressLine>(environment_.console, options);
  }
  const absl::Status status = TrainSteps();
  if (progress_ != nullptr) {
    progress_->Finish();
  }
  if (!status.ok() && all_know_) {
    EndTogether();
  }
  RETURN_IF_ERROR(status);
  if (last_evaluation_) {
    summary_.AddRow("evaluation",
                    absl::StrFormat("%.4f at step %d", last_evaluation_->loss,
                                    last_evaluation_->step));
  }
  if (stopped_after_) {
    environment_.logger.Log(runtime::LogLevel::kInfo, StopText());
  }
  // While all ranks are there: a failure of the one that writes is theirs, too.
  RETURN_IF_ERROR(Export(/*together=*/true));
  return group_ == nullptr ? absl::OkStatus() : group_->Finish();
}

}  // namespace accel::tools
