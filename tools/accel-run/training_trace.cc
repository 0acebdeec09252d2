// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run measures of itself: the trace, the machine's roofline, and where
// the time before the first step went.
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/available_memory.h"
#include "runtime/report/peak_memory.h"
#include "tools/accel-run/run_files.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {

// Ranks that are processes know the run directory of rank 0 only.
bool TrainingRun::WantsTrace() const {
  return !options_.trace.empty() || (options_.profile && IsFirst());
}

// Of one rank while all of them are busy: ranks that are processes measure at
// the same time, those that are threads by one device with all their threads.
absl::Status TrainingRun::MeasureRoofline() {
  if (!options_.profile) {
    return absl::OkStatus();
  }
  if (!device_->HasRoofline()) {
    Print(
        "profile by the GPU's clock, without CUDA graphs; what the GPU can do "
        "at most is not measured");
    return absl::OkStatus();
  }
  const runtime::AvailableMemory memory =
      runtime::ReadShareOfMemory(environment_.vfs, ranks());
  const int devices = options_.ranks_as_threads;
  const int threads = device_->threads() * devices;
  const uint64_t needed = device_->RooflineMemoryBytes();
  if (memory.bytes < needed) {
    return WithExitCode(
        absl::ResourceExhaustedError(absl::StrCat(
            "--profile: expected ", runtime::FormatBytes(needed),
            " of memory for measuring what the machine can do, got ",
            runtime::FormatBytes(memory.bytes), " (", memory.source,
            "); free some, or use --trace without --profile")),
        ExitCode::kMemory);
  }
  Print(absl::StrCat("roofline  measuring what the machine can do with ",
                     runtime::Amount(threads, "thread")));
  runtime::DeviceOptions all = MakeDeviceOptions();
  all.threads = threads;
  const auto device = runtime::CreateDevice(environment_.vfs, all);
  RETURN_IF_ERROR(WithExitCode(device.status(), ExitCode::kMemory));
  ASSIGN_OR_RETURN(roofline_, (*device)->MeasureRoofline());
  // What that took is given back, and shall not count as the run's peak.
  const absl::Status reset = runtime::ResetPeakMemory(environment_.vfs);
  if (!reset.ok()) {
    environment_.logger.Log(
        runtime::LogLevel::kWarning,
        absl::StrCat("the measured peak of memory will include ",
                     runtime::FormatBytes(needed),
                     " that measuring the roofline took: ", reset.message()));
  }
  roofline_->flops_per_second /= devices;
  roofline_->bytes_per_second /= devices;
  Print(absl::StrFormat("        %.1f GFLOP/s, %.2f GB/s%s",
                        roofline_->flops_per_second * 1e-9,
                        roofline_->bytes_per_second * 1e-9,
                        ranks() == 1 ? "" : " for each rank"));
  return absl::OkStatus();
}

void TrainingRun::MakeTrace() {
  runtime::TraceFacts facts;
  facts.producer = "accel-run " ACCEL_VERSION;
  facts.threads = device_->threads();
  if (MakeDeviceOptions().kind == planpb::DEVICE_CUDA) {
    facts.gpu = device_->Describe();
  }
  facts.has_rates = options_.profile;
  facts.roofline = roofline_;
  trace_ = std::make_unique<runtime::TraceRecorder>(
      plan_->view(), ranks(), options_.trace_steps, std::move(facts));
}

absl::Status TrainingRun::WriteTrace() {
  if (trace_ == nullptr) {
    return absl::OkStatus();
  }
  std::string path =
      options_.trace.empty() ? directory_->File("trace.json") : options_.trace;
  path = TracePath(path, group_ == nullptr ? 0 : group_->rank());
  RETURN_IF_ERROR(trace_->Write(environment_.vfs, path));
  summary_.AddRow("trace", path);
  if (options_.profile) {
    summary_.AddRow("where the time went",
                    absl::StrCat("accel-inspect trace ", path));
  }
  return absl::OkStatus();
}

void TrainingRun::NoteTime(absl::string_view part) {
  if (environment_.times != nullptr) {
    environment_.times->Finish(part);
  }
}

void TrainingRun::PrintTimes(int64_t first_step_ns) {
  if (environment_.times == nullptr) {
    return;
  }
  for (const std::string& line : environment_.times->Lines()) {
    environment_.console.PrintLine(line);
  }
  environment_.console.PrintLine(absl::StrCat(
      "  the first step then took ",
      runtime::FormatDuration(std::chrono::nanoseconds(first_step_ns))));
}

}  // namespace accel::tools
