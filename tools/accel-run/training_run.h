// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of accel-run from the plan's file to the last line printed.
#ifndef ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_
#define ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/base/logger.h"
#include "runtime/data/dataset.h"
#include "runtime/device/cpu_device.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/plan.h"
#include "runtime/report/console.h"
#include "runtime/report/metrics_writer.h"
#include "runtime/report/progress_line.h"
#include "runtime/report/run_directory.h"
#include "runtime/report/run_summary.h"
#include "tools/accel-run/exit_code.h"
#include "tools/accel-run/hyperparameters.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

// What a run gets from outside.
struct RunEnvironment {
  runtime::Vfs& vfs;
  runtime::Console& console;      // what people read
  const runtime::Logger& logger;  // warnings and errors
  // True once somebody asked to stop; the step in progress is finished.
  std::function<bool()> stop_requested = [] { return false; };
};

class TrainingRun {
 public:
  // Borrows: both.
  TrainingRun(const RunOptions& options, const RunEnvironment& environment);
  ~TrainingRun();

  // All stages in order; the first error is logged and ends the run. Whatever
  // can be checked before step 0 is.
  ExitCode Run();

 private:
  absl::Status OpenPlan();
  absl::Status CheckFiles();
  absl::Status OpenData();
  absl::Status ResolveHyperparameters();
  absl::Status CreateExecutor();
  absl::StatusOr<std::unique_ptr<runtime::Executor>> MakeExecutor(
      const runtime::ExecutorOptions& options);
  absl::Status OpenRunDirectory();
  absl::Status Initialize();
  absl::Status Train();
  absl::Status Finish();

  absl::Status TrainStep(int64_t step);
  absl::StatusOr<std::vector<double>> RunOneStep(int64_t step);
  double MetricOf(const std::vector<double>& values,
                  absl::string_view name) const;
  absl::Status CheckFinite(const runtime::StepMetrics& metrics) const;
  absl::Status WriteRecord();
  uint64_t PlannedPeakBytes() const;
  void PrintHeader();
  void Print(absl::string_view text);  // nothing with --quiet

  const RunOptions& options_;
  const RunEnvironment& environment_;
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::CpuDevice> device_;
  std::unique_ptr<runtime::Dataset> dataset_;
  std::vector<Setting> settings_;
  int64_t global_batch_ = 0;
  int64_t steps_ = 0;
  uint64_t resident_before_ = 0;  // bytes, before the plan's memory
  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::RunDirectory> directory_;
  std::unique_ptr<runtime::MetricsWriter> metrics_;
  std::unique_ptr<runtime::ProgressLine> progress_;
  runtime::RunSummary summary_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_
