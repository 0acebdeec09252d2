// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PLAN.tuned: written by --tune, and read by every other run on a GPU.
#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/plan/cost/step_traffic.h"
#include "tools/accel-run/training_run.h"
#include "tools/accel-run/tuning_table.h"

namespace accel::tools {

ExitCode TrainingRun::RunTuning() {
  constexpr Stage kStages[] = {
      {&TrainingRun::OpenPlan, ExitCode::kInputOutput,
       "reading and hashing the plan"},
      {&TrainingRun::CheckFiles, ExitCode::kCommandLine,
       "checking what will be written"},
      {&TrainingRun::Tune, ExitCode::kInputOutput, "measuring products"},
  };
  return RunStages(kStages);
}

absl::Status TrainingRun::CheckTuning(planpb::DeviceKind device) const {
  if (!options_.tune || device == planpb::DEVICE_CUDA) {
    return absl::OkStatus();
  }
  const bool is_asked_for = options_.device == "cpu";
  return WithExitCode(
      absl::InvalidArgumentError(absl::StrCat(
          "--tune measures algorithms of a GPU's library, and ",
          is_asked_for
              ? "--device=cpu executes the plan on CPUs, with code of its own; "
                "leave one of them out"
              : absl::StrCat("'", options_.plan,
                             "' is for CPUs, with code of its own; compile the "
                             "model for a GPU (accelc --target=sm_90)"))),
      ExitCode::kCommandLine);
}

absl::Status TrainingRun::ReadTuned() {
  if (options_.tune || MakeDeviceOptions().kind != planpb::DEVICE_CUDA) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(tuned_,
                   runtime::ReadTunedProducts(environment_.vfs, options_.plan,
                                              runtime::ToHex(plan_->root())));
  return absl::OkStatus();
}

absl::StatusOr<runtime::TunedProducts> TrainingRun::MeasureProducts() {
  const uint64_t batch = static_cast<uint64_t>(options_.global_batch.value_or(
      static_cast<int64_t>(plan_->manifest().default_global_batch())));
  const TuningTable table(plan_->view(),
                          runtime::IterationsOf(plan_->manifest(), 1, batch));
  ASSIGN_OR_RETURN(
      const runtime::MemoryLayout layout,
      runtime::MemoryLayout::Create(plan_->view(), runtime::RankBinding()));
  runtime::TuningOptions options;
  options.timeout = Timeout();
  options.measured = [&](const std::string& kernel,
                         const runtime::TunedProduct& product) {
    Print(table.Row(kernel, product));
    return environment_.stop_requested() == 0
               ? absl::OkStatus()
               : absl::CancelledError(absl::StrCat(
                     "stopped by a signal; ", runtime::TunedPath(options_.plan),
                     " is as it was"));
  };
  Print(absl::StrCat("device  ", device_->Describe()));
  Print(table.Header());
  ASSIGN_OR_RETURN(runtime::TunedProducts tuned,
                   device_->TuneProducts(plan_->view(), layout, options));
  Print(table.Sum(tuned.products));
  return tuned;
}

absl::Status TrainingRun::Tune() {
  auto tuned = MeasureProducts();
  if (absl::IsResourceExhausted(tuned.status())) {
    return WithExitCode(tuned.status(), ExitCode::kMemory);
  }
  RETURN_IF_ERROR(tuned.status());
  if (tuned->products.empty()) {
    return WithExitCode(
        absl::InvalidArgumentError(absl::StrCat(
            "'", options_.plan,
            "' calls no library, so there is nothing to measure; leave out "
            "--tune")),
        ExitCode::kCommandLine);
  }
  tuned->plan_sha256 = runtime::ToHex(plan_->root());
  const std::string path = runtime::TunedPath(options_.plan);
  RETURN_IF_ERROR(runtime::WriteFileAtomically(
      environment_.vfs, path, runtime::FormatTunedProducts(*tuned)));
  Print(absl::StrCat(
      "tuned   ", path, ": algorithms of ",
      runtime::Amount(static_cast<int64_t>(tuned->products.size()), "product"),
      " on ", tuned->machine.gpu, " with ", tuned->machine.library,
      "; runs of ", options_.plan, " use them"));
  return absl::OkStatus();
}

}  // namespace accel::tools
