// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens plan, devices and data, and compares.
#include "tools/accel-compare/accel_compare.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/data_files.h"
#include "runtime/device/create_device.h"
#include "runtime/device/tuned_products.h"
#include "runtime/executor/device_comparison.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/text/printable.h"
#include "tools/accel-compare/comparison_report.h"
#include "tools/accel-compare/options.h"
#include "tools/accel-run/exit_code.h"

namespace accel::tools {
namespace {

using runtime::Device;
using runtime::DeviceComparison;
using runtime::Plan;
using runtime::Vfs;

// With one thread, so that both devices have the same layout of memory.
absl::StatusOr<std::unique_ptr<Device>>
MakeDevice(Vfs &vfs, const Plan &plan, const CompareOptions &options,
           runtime::DeviceChoice choice) {
  runtime::DeviceOptions own;
  own.kind = runtime::ChooseDevice(plan.view(), choice);
  own.threads = 1;
  own.cuda_libs = options.cuda_libs;
  if (const char *environment = std::getenv("VIRTUAL_ENV")) {
    own.python_environment = environment;
  }
  return runtime::CreateDevice(vfs, own);
}

absl::StatusOr<std::string> DescribeDevice(const Device &device,
                                           const Plan &plan) {
  ASSIGN_OR_RETURN(const int variant, device.ChooseVariant(plan.view()));
  return absl::StrCat(device.Describe(), ", ",
                      plan.manifest().variants(variant).name());
}

absl::StatusOr<std::unique_ptr<runtime::Dataset>>
OpenData(Vfs &vfs, const Plan &plan, const CompareOptions &options,
         int64_t global_batch) {
  runtime::DatasetOptions data;
  data.data = options.data;
  data.seed = static_cast<uint64_t>(options.seed);
  data.global_batch = global_batch;
  return runtime::Dataset::Open(vfs, runtime::DataSignature(plan.manifest()),
                                data);
}

absl::StatusOr<ComparisonFacts> FactsOf(const Plan &plan,
                                        const CompareOptions &options,
                                        const Device &reference,
                                        const Device &tested) {
  ComparisonFacts facts;
  facts.plan_sha256 = runtime::ToHex(plan.root());
  ASSIGN_OR_RETURN(facts.reference, DescribeDevice(reference, plan));
  ASSIGN_OR_RETURN(facts.tested, DescribeDevice(tested, plan));
  facts.steps = options.steps;
  facts.evaluates =
      plan.view().FindFunction(planpb::FUNCTION_EVALUATE) != nullptr;
  return facts;
}

// The algorithms that runs of the plan use.
absl::StatusOr<std::optional<runtime::TunedProducts>>
ReadTuned(Vfs &vfs, const Plan &plan, const CompareOptions &options) {
  if (runtime::ChooseDevice(plan.view(), runtime::DeviceChoice::kPlanned) !=
      planpb::DEVICE_CUDA) {
    return std::nullopt;
  }
  return runtime::ReadTunedProducts(vfs, options.plan,
                                    runtime::ToHex(plan.root()));
}

// The report is none of the files that are read.
absl::Status CheckOutput(Vfs &vfs, const CompareOptions &options) {
  runtime::OutputFiles files(vfs);
  RETURN_IF_ERROR(files.AddInput("plan", options.plan));
  RETURN_IF_ERROR(
      files.AddInput("tuned products", runtime::TunedPath(options.plan)));
  for (const std::string &path : runtime::ListDataFiles(vfs, options.data)) {
    RETURN_IF_ERROR(files.AddInput("--data", path));
  }
  return options.json.empty() ? absl::OkStatus()
                              : files.AddOutput("--json", options.json);
}

// Initialises, trains, and measures what has been trained, if the plan can:
// with the kernels that only an evaluation has, on the samples of the last
// step. `counts`: a function does in front of each step.
absl::Status RunAll(const ComparisonFacts &facts, bool counts,
                    DeviceComparison &comparison) {
  RETURN_IF_ERROR(comparison.Run(planpb::FUNCTION_INITIALIZE, 0));
  for (int64_t step = 0; step < facts.steps; ++step) {
    if (counts) {
      RETURN_IF_ERROR(comparison.Run(planpb::FUNCTION_COUNT, step));
    }
    RETURN_IF_ERROR(comparison.Run(planpb::FUNCTION_STEP, step));
  }
  return facts.evaluates ? comparison.Run(planpb::FUNCTION_EVALUATE,
                                          std::max<int64_t>(0, facts.steps - 1))
                         : absl::OkStatus();
}

// Whether all are close.
absl::StatusOr<bool> Compare(const CompareOptions &options) {
  const auto vfs = runtime::MakePosixVfs();
  RETURN_IF_ERROR(
      WithExitCode(CheckOutput(*vfs, options), ExitCode::kCommandLine));
  ASSIGN_OR_RETURN(const auto plan, Plan::Open(*vfs, options.plan));
  ASSIGN_OR_RETURN(
      const auto reference,
      MakeDevice(*vfs, *plan, options, runtime::DeviceChoice::kCpu));
  ASSIGN_OR_RETURN(
      const auto tested,
      MakeDevice(*vfs, *plan, options, runtime::DeviceChoice::kPlanned));
  ASSIGN_OR_RETURN(ComparisonFacts facts,
                   FactsOf(*plan, options, *reference, *tested));
  ASSIGN_OR_RETURN(const auto tuned, ReadTuned(*vfs, *plan, options));
  if (tuned) {
    absl::StrAppend(&facts.tested, ", products: tuned with ",
                    tuned->machine.library);
  }
  runtime::ExecutorOptions executor;
  executor.weights_dir = options.weights_dir;
  executor.seed = options.seed;
  executor.global_batch = options.global_batch.value_or(
      static_cast<int64_t>(plan->manifest().default_global_batch()));
  executor.tuned = tuned ? &*tuned : nullptr;
  ASSIGN_OR_RETURN(const auto data,
                   OpenData(*vfs, *plan, options, executor.global_batch));
  ASSIGN_OR_RETURN(const auto comparison,
                   DeviceComparison::Create(*vfs, *plan, *reference, *tested,
                                            *data, executor));
  const bool counts =
      plan->view().FindFunction(planpb::FUNCTION_COUNT) != nullptr;
  RETURN_IF_ERROR(RunAll(facts, counts, *comparison));
  std::cout << runtime::PrintableLines(ComparisonText(facts, *comparison));
  if (!options.json.empty()) {
    RETURN_IF_ERROR(runtime::WriteFileAtomically(
        *vfs, options.json, ComparisonJson(facts, *comparison)));
  }
  return AreClose(*comparison);
}

} // namespace

int AccelCompareMain(int argc, char **argv) {
  const auto parsed = ParseCompareOptions(argc, argv);
  if (const int *status = std::get_if<int>(&parsed)) {
    return *status;
  }
  const CompareOptions &options = std::get<CompareOptions>(parsed);
  const absl::StatusOr<bool> are_close = Compare(options);
  if (!are_close.ok()) {
    std::cerr << "error: "
              << runtime::PrintableLines(are_close.status().message()) << "\n";
    const ExitCode otherwise = absl::IsResourceExhausted(are_close.status())
                                   ? ExitCode::kMemory
                               : absl::IsFailedPrecondition(are_close.status())
                                   ? ExitCode::kVerification
                                   : ExitCode::kInputOutput;
    return static_cast<int>(ExitCodeOf(are_close.status(), otherwise));
  }
  return *are_close ? 0 : kExitDifferent;
}

} // namespace accel::tools
