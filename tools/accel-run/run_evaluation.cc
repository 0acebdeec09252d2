// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the data, whose sums are added in order.
#include "tools/accel-run/run_evaluation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/executor/batch_plan.h"
#include "runtime/executor/microbatch_reader.h"
#include "tools/accel-run/exit_code.h"

namespace accel::tools {
namespace {

// What an evaluation reports.
struct Sums {
  uint32_t losses = 0;
  uint32_t targets = 0;
};

absl::StatusOr<Sums> FindSums(const runtime::Plan& plan,
                              const std::string& path) {
  const runtime::PlanView& view = plan.view();
  const auto losses = view.FindMetric("loss_sum");
  const auto targets = view.FindMetric("tokens");
  if (view.FindFunction(planpb::FUNCTION_EVALUATE) != nullptr && losses &&
      targets) {
    return Sums{*losses, *targets};
  }
  return WithExitCode(
      absl::InvalidArgumentError(absl::StrCat(
          "'", path, "': expected a function to evaluate, got none; ",
          plan.manifest().forbids_padding()
              ? "the model or its loss mixes the samples of a microbatch, so "
                "that a sample alone has no loss: leave out --eval-data"
              : "compile the model again without accelc --eval=off, or leave "
                "out --eval-data")),
      ExitCode::kCommandLine);
}

}  // namespace

RunEvaluation::RunEvaluation(const runtime::Plan& plan,
                             const RunEvaluationOptions& options,
                             std::unique_ptr<runtime::Dataset> dataset)
    : plan_(plan),
      options_(options),
      dataset_(std::move(dataset)),
      parts_(runtime::BatchPlan::CreateOnce(
                 dataset_->size(),
                 static_cast<int64_t>(plan.manifest().microbatch()),
                 options.ranks, /*rank=*/0)
                 .steps()) {}

absl::StatusOr<std::unique_ptr<RunEvaluation>> RunEvaluation::Open(
    runtime::Vfs& vfs, const runtime::Plan& plan, const std::string& plan_path,
    const RunEvaluationOptions& options) {
  RETURN_IF_ERROR(FindSums(plan, plan_path).status());
  runtime::DatasetOptions data;
  data.data = options.data;
  data.shuffle = false;
  data.option = "--eval-data";
  auto dataset = runtime::Dataset::Open(
      vfs, runtime::DataSignature(plan.manifest()), data);
  RETURN_IF_ERROR(runtime::Annotate(dataset.status(), data.option));
  if ((*dataset)->blended()) {
    return WithExitCode(
        absl::InvalidArgumentError(absl::StrCat(
            "--eval-data ", options.data.front(),
            ": expected data of which each sample is taken once, got a blend, "
            "which takes them by weight; name the files of its datasets")),
        ExitCode::kCommandLine);
  }
  return std::unique_ptr<RunEvaluation>(
      new RunEvaluation(plan, options, *std::move(dataset)));
}

bool RunEvaluation::IsDue(int64_t steps, int64_t all) const {
  return steps == all || (options_.every > 0 && steps % options_.every == 0);
}

absl::StatusOr<runtime::EvaluationMetrics> RunEvaluation::Measure(
    runtime::Executor& executor, int64_t steps,
    absl::FunctionRef<absl::Status()> begin) const {
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const Sums sums, FindSums(plan_, ""));
  double losses = 0;
  double targets = 0;
  for (int64_t part = 0; part < parts_; ++part) {
    RETURN_IF_ERROR(begin());
    ASSIGN_OR_RETURN(const std::vector<double> values,
                     executor.Run(planpb::FUNCTION_EVALUATE, part));
    losses += values[sums.losses];
    targets += values[sums.targets];
  }
  runtime::EvaluationMetrics metrics;
  metrics.step = steps;
  // Without any valid target the sum is zero, as that of a step.
  metrics.loss = losses / std::max(targets, 1.0);
  metrics.tokens = std::llround(targets);
  metrics.ns =
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
          .count();
  metrics.wall_time_ns = runtime::WallTimeNs();
  return metrics;
}

std::string RunEvaluation::Describe() const {
  std::string text = dataset_->Describe(dataset_->size());
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

}  // namespace accel::tools
