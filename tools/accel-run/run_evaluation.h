// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that a run measures its loss on, and the measuring.
#ifndef ACCEL_TOOLS_ACCEL_RUN_RUN_EVALUATION_H_
#define ACCEL_TOOLS_ACCEL_RUN_RUN_EVALUATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/data/dataset.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/plan.h"
#include "runtime/report/evaluation_metrics.h"

namespace accel::tools {

// The values of --eval-data and --eval-every.
struct RunEvaluationOptions {
  std::vector<std::string> data;
  int64_t every = 0;  // steps; 0: only behind the last one
  int ranks = 1;
};

class RunEvaluation {
 public:
  // Checks the data as those of --data are checked, and that the plan, whose
  // file is `plan_path`, can evaluate. Borrows: the vfs and the plan.
  static absl::StatusOr<std::unique_ptr<RunEvaluation>> Open(
      runtime::Vfs& vfs, const runtime::Plan& plan,
      const std::string& plan_path, const RunEvaluationOptions& options);

  const runtime::Dataset& dataset() const { return *dataset_; }
  // Whether to measure once `steps` of a run's `all` steps are done.
  bool IsDue(int64_t steps, int64_t all) const;

  // The exact mean of the losses of all samples, each once and in order, with
  // the state behind `steps` steps, which stays as it is. The data are measured
  // in parts; `begin` is called in front of each, and its error is returned.
  // Requires: the executor has dataset() as ExecutorOptions::evaluation.
  absl::StatusOr<runtime::EvaluationMetrics> Measure(
      runtime::Executor& executor, int64_t steps,
      absl::FunctionRef<absl::Status()> begin) const;

  // Lines for people: the data, and their number.
  std::string Describe() const;

 private:
  RunEvaluation(const runtime::Plan& plan, const RunEvaluationOptions& options,
                std::unique_ptr<runtime::Dataset> dataset);

  const runtime::Plan& plan_;
  const RunEvaluationOptions options_;
  const std::unique_ptr<runtime::Dataset> dataset_;
  const int64_t parts_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_RUN_EVALUATION_H_
