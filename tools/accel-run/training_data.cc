// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a run: what they are, how long it is, and whether they suffice.
#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/data/reset_attention.h"
#include "runtime/executor/microbatch_reader.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

constexpr int64_t kSyntheticSteps = 20;

}  // namespace

absl::Status TrainingRun::OpenData() {
  global_batch_ = options_.global_batch.value_or(
      static_cast<int64_t>(plan_->manifest().default_global_batch()));
  if (options_.reset_attention) {
    return WithExitCode(runtime::RefuseResetAttention(
                            runtime::DataSignature(plan_->manifest())),
                        ExitCode::kCommandLine);
  }
  runtime::DatasetOptions options;
  options.data = options_.data;
  options.seed = static_cast<uint64_t>(options_.seed);
  options.shuffle = options_.shuffle;
  options.global_batch = global_batch_;
  ASSIGN_OR_RETURN(
      dataset_, runtime::Dataset::Open(
                    environment_.vfs, runtime::DataSignature(plan_->manifest()),
                    options));
  const int64_t epoch =
      dataset_->synthetic()
          ? kSyntheticSteps
          : std::max<int64_t>(1, dataset_->DefaultSamples() / global_batch_);
  steps_ = options_.steps.value_or(epoch);
  return OpenEvaluation();
}

absl::Status TrainingRun::CheckRunOfData() {
  return dataset_->CheckRun(SamplesAfter(steps_));
}

}  // namespace accel::tools
