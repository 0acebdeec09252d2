// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a run.
#include "tools/accel-run/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/cpu_executor.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/io/atomic_file.h"
#include "runtime/report/peak_memory.h"
#include "tools/accel-run/export_model.h"
#include "tools/accel-run/lane_jitter.h"

namespace accel::tools {
namespace {

using runtime::StepMetrics;

constexpr int64_t kSyntheticSteps = 20;
// Of run.json.
constexpr int kRecordVersion = 1;

int64_t NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
      .count();
}

std::string MemoryText(const runtime::MemoryLayout& layout) {
  std::string text =
      absl::StrCat("planned ", runtime::FormatBytes(layout.TotalBytes()));
  absl::string_view separator = ": ";
  const auto add = [&](absl::string_view name, uint64_t bytes) {
    if (bytes == 0) {
      return;
    }
    absl::StrAppend(&text, separator, name, " ", runtime::FormatBytes(bytes));
    separator = ", ";
  };
  for (int i = 1; i <= runtime::kMemoryClasses; ++i) {
    const auto memory_class = static_cast<planpb::MemoryClass>(i);
    add(runtime::MemoryClassName(memory_class),
        layout.PlacedBytes(memory_class));
  }
  for (int i = 1; i <= runtime::kSpaces; ++i) {
    add("transient", layout.ArenaBytes(static_cast<planpb::Space>(i)));
  }
  return text;
}

}  // namespace

TrainingRun::TrainingRun(const RunOptions& options,
                         const RunEnvironment& environment)
    : options_(options), environment_(environment) {}

TrainingRun::~TrainingRun() = default;

ExitCode TrainingRun::Run() {
  struct Stage {
    absl::Status (TrainingRun::*run)();
    ExitCode failure;  // unless the error knows better
  };
  constexpr Stage kStages[] = {
      {&TrainingRun::OpenPlan, ExitCode::kInputOutput},
      {&TrainingRun::CheckFiles, ExitCode::kCommandLine},
      {&TrainingRun::OpenData, ExitCode::kData},
      {&TrainingRun::ResolveHyperparameters, ExitCode::kCommandLine},
      {&TrainingRun::CreateExecutor, ExitCode::kInputOutput},
      {&TrainingRun::OpenRunDirectory, ExitCode::kInputOutput},
      {&TrainingRun::Initialize, ExitCode::kInputOutput},
      {&TrainingRun::Train, ExitCode::kInputOutput},
      {&TrainingRun::Finish, ExitCode::kInputOutput},
  };
  for (const Stage& stage : kStages) {
    const absl::Status status = (this->*stage.run)();
    if (!status.ok()) {
      environment_.console.FinishLive();
      environment_.logger.Log(runtime::LogLevel::kError, status.message());
      return ExitCodeOf(status, stage.failure);
    }
  }
  return ExitCode::kOk;
}

absl::Status TrainingRun::OpenPlan() {
  ASSIGN_OR_RETURN(plan_, runtime::Plan::Open(environment_.vfs, options_.plan));
  runtime::CpuDeviceOptions options;
  options.threads = options_.threads;
  if (options.threads == 0 && options_.ranks_as_threads > 1) {
    const int cores = runtime::AvailableCores();
    options.threads = std::max(1, cores / options_.ranks_as_threads);
  }
  device_ = std::make_unique<runtime::CpuDevice>(environment_.vfs, options);
  if (plan_->manifest().kernels().empty()) {
    return absl::OkStatus();
  }
  return runtime::Annotate(device_->ChooseVariant(plan_->view()).status(),
                           absl::StrCat("'", options_.plan, "'"));
}

absl::Status TrainingRun::CheckFiles() {
  if (!options_.export_path.empty()) {
    RETURN_IF_ERROR(
        CheckExport(environment_.vfs, *plan_, options_.export_path));
  }
  if (!options_.dump_gradients.empty()) {
    RETURN_IF_ERROR(
        CheckGradients(environment_.vfs, *plan_, options_.dump_gradients));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::OpenData() {
  global_batch_ = options_.global_batch.value_or(
      static_cast<int64_t>(plan_->manifest().default_global_batch()));
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
          : std::max<int64_t>(1, dataset_->size() / global_batch_);
  steps_ = options_.steps.value_or(epoch);
  return absl::OkStatus();
}

absl::Status TrainingRun::ResolveHyperparameters() {
  ASSIGN_OR_RETURN(settings_,
                   ResolveSettings(plan_->manifest(), options_.set, steps_));
  return absl::OkStatus();
}

absl::Status TrainingRun::CreateExecutor() {
  ASSIGN_OR_RETURN(const auto resident,
                   runtime::ReadResidentMemory(environment_.vfs));
  resident_before_ = resident.now_bytes;
  runtime::ExecutorOptions options;
  options.binding.threads = static_cast<uint64_t>(device_->threads());
  options.global_batch = global_batch_;
  options.seed = options_.seed;
  options.serial = options_.serial;
  options.timeout = std::chrono::nanoseconds(
      static_cast<int64_t>(options_.timeout_seconds * 1e9));
  if (options_.jitter) {
    options.before_instruction =
        MakeLaneJitter(*options_.jitter, plan_->manifest().lanes_size());
  }
  auto executor = MakeExecutor(options);
  if (absl::IsResourceExhausted(executor.status())) {
    return WithExitCode(executor.status(), ExitCode::kMemory);
  }
  if (absl::IsFailedPrecondition(executor.status())) {
    return WithExitCode(executor.status(), ExitCode::kVerification);
  }
  RETURN_IF_ERROR(executor.status());
  executor_ = *std::move(executor);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<runtime::Executor>> TrainingRun::MakeExecutor(
    const runtime::ExecutorOptions& options) {
  if (options_.ranks_as_threads == 1) {
    return runtime::CpuExecutor::Create(environment_.vfs, *plan_, *device_,
                                        *dataset_, options);
  }
  runtime::RankThreadsOptions ranks;
  ranks.ranks = options_.ranks_as_threads;
  ranks.threads_per_rank = device_->threads();
  ranks.executor = options;
  return runtime::RankThreads::Create(environment_.vfs, *plan_, *dataset_,
                                      ranks);
}

absl::Status TrainingRun::OpenRunDirectory() {
  runtime::RunDirectoryOptions options;
  options.path = options_.run_dir;
  options.plan_path = options_.plan;
  ASSIGN_OR_RETURN(directory_,
                   runtime::RunDirectory::Open(environment_.vfs, options));
  RETURN_IF_ERROR(WriteRecord());
  ASSIGN_OR_RETURN(metrics_, runtime::MetricsWriter::Open(
                                 environment_.vfs, directory_->metrics_path()));
  return absl::OkStatus();
}

uint64_t TrainingRun::PlannedPeakBytes() const {
  // What the process took before, libraries and code, is not the plan's doing.
  return executor_->PlannedBytes() + resident_before_;
}

absl::Status TrainingRun::WriteRecord() {
  nlohmann::ordered_json record;
  record["version"] = kRecordVersion;
  record["plan_sha256"] = runtime::ToHex(plan_->root());
  record["model"] = plan_->manifest().model().name();
  record["data_sha256"] = dataset_->identity();
  record["seed"] = options_.seed;
  record["shuffle"] = options_.shuffle;
  record["steps"] = steps_;
  record["global_batch"] = global_batch_;
  record["ranks"] = options_.ranks_as_threads;
  record["threads"] = device_->threads();
  record["device"] = device_->Describe();
  record["planned_peak_bytes"] = PlannedPeakBytes();
  for (const Setting& setting : settings_) {
    record["hyperparameters"][setting.name] = setting.value;
  }
  return runtime::WriteFileAtomically(environment_.vfs,
                                      directory_->File("run.json"),
                                      absl::StrCat(record.dump(2), "\n"));
}

absl::Status TrainingRun::Initialize() {
  PrintHeader();
  RETURN_IF_ERROR(executor_->Initialize());
  return ApplySettings(settings_, *executor_);
}

void TrainingRun::Print(absl::string_view text) {
  if (options_.quiet) {
    return;
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    environment_.console.PrintLine(line);
  }
}

void TrainingRun::PrintHeader() {
  const planpb::Manifest& manifest = plan_->manifest();
  if (dataset_->synthetic()) {
    environment_.logger.Log(
        runtime::LogLevel::kWarning,
        "no --data: training on SYNTHETIC data, the model learns nothing "
        "useful");
  }
  Print(absl::StrCat(
      "plan    ", manifest.model().name(), ", ",
      runtime::FormatCount(
          static_cast<int64_t>(manifest.model().parameter_count())),
      " parameters, sha256 ", runtime::ToHex(plan_->root()).substr(0, 16)));
  for (const std::string& note : manifest.notes()) {
    Print(absl::StrCat("        ", note));
  }
  Print(absl::StrCat("device  ", device_->Describe(), ", ",
                     executor_->Describe()));
  Print(absl::StrCat("memory  ",
                     options_.ranks_as_threads == 1 ? "" : "each rank ",
                     MemoryText(executor_->layout())));
  std::string data = dataset_->Describe();
  while (!data.empty() && data.back() == '\n') {
    data.pop_back();
  }
  Print(absl::StrCat("data    ", data));
  Print(absl::StrCat(
      "batch   ", global_batch_, " samples = ", executor_->rounds(), " x ",
      options_.ranks_as_threads == 1
          ? ""
          : absl::StrCat(options_.ranks_as_threads, " ranks x "),
      manifest.microbatch(),
      global_batch_ % (static_cast<int64_t>(manifest.microbatch()) *
                       options_.ranks_as_threads) ==
              0
          ? ""
          : ", the last one padded"));
  Print(absl::StrCat("run     ", directory_->path(), ", ", steps_, " steps"));
}

double TrainingRun::MetricOf(const std::vector<double>& values,
                             absl::string_view name) const {
  const auto index = plan_->view().FindMetric(name);
  return index ? values[*index] : std::numeric_limits<double>::quiet_NaN();
}

absl::StatusOr<std::vector<double>> TrainingRun::RunOneStep(int64_t step) {
  if (step != 0 || options_.dump_gradients.empty()) {
    return executor_->RunStep(step);
  }
  return executor_->RunObservedStep(step, [this] {
    return DumpGradients(environment_.vfs, *plan_, *executor_,
                         options_.dump_gradients);
  });
}

absl::Status TrainingRun::CheckFinite(const StepMetrics& metrics) const {
  const bool has_norm = plan_->view().FindMetric("grad_norm").has_value();
  if (std::isfinite(metrics.loss) &&
      (!has_norm || std::isfinite(metrics.grad_norm))) {
    return absl::OkStatus();
  }
  return WithExitCode(
      absl::OutOfRangeError(absl::StrCat(
          "step ", metrics.step,
          ": expected a finite loss and gradient, got loss ",
          runtime::FormatRoundTrip(metrics.loss), " and gradient norm ",
          runtime::FormatRoundTrip(metrics.grad_norm),
          "; training stops here, the weights are of no use; try a smaller "
          "learning rate (--set lr=...) or a longer warm-up (--set "
          "warmup_steps=...)")),
      ExitCode::kDivergence);
}

absl::Status TrainingRun::TrainStep(int64_t step) {
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const std::vector<double> values, RunOneStep(step));
  StepMetrics metrics;
  metrics.step = step + 1;
  metrics.step_ns = NanosecondsSince(start);
  metrics.loss = MetricOf(values, "loss");
  metrics.lr = MetricOf(values, "lr");
  metrics.grad_norm = MetricOf(values, "grad_norm");
  const double tokens = MetricOf(values, "tokens");
  metrics.tokens = std::isfinite(tokens) ? std::llround(tokens) : 0;
  metrics.tokens_per_second = static_cast<double>(metrics.tokens) * 1e9 /
                              static_cast<double>(metrics.step_ns);
  ASSIGN_OR_RETURN(const auto resident,
                   runtime::ReadResidentMemory(environment_.vfs));
  metrics.peak_bytes = resident.peak_bytes;
  RETURN_IF_ERROR(metrics_->Write(metrics));
  if (progress_ != nullptr) {
    progress_->Update(metrics);
  }
  summary_.AddStep(metrics);
  return CheckFinite(metrics);
}

absl::Status TrainingRun::Train() {
  if (!options_.quiet) {
    runtime::ProgressOptions options;
    options.last_step = steps_;
    if (dataset_->synthetic()) {
      options.tag = "synthetic data";
    }
    progress_ =
        std::make_unique<runtime::ProgressLine>(environment_.console, options);
  }
  absl::Status status;
  for (int64_t step = 0;
       step < steps_ && status.ok() && !environment_.stop_requested(); ++step) {
    status = TrainStep(step);
  }
  if (progress_ != nullptr) {
    progress_->Finish();
  }
  return status;
}

absl::Status TrainingRun::Finish() {
  RETURN_IF_ERROR(metrics_->Close());
  if (!options_.export_path.empty()) {
    RETURN_IF_ERROR(ExportModel(environment_.vfs, *plan_, *executor_,
                                options_.export_path));
    summary_.AddRow("model", options_.export_path);
  }
  if (!options_.dump_gradients.empty()) {
    summary_.AddRow("gradients of step 1", options_.dump_gradients);
  }
  ASSIGN_OR_RETURN(const auto resident,
                   runtime::ReadResidentMemory(environment_.vfs));
  summary_.SetPlannedPeak(PlannedPeakBytes());
  summary_.SetMeasuredPeak(resident.peak_bytes);
  summary_.AddRow("metrics", directory_->metrics_path());
  std::string table = summary_.Table();
  while (!table.empty() && table.back() == '\n') {
    table.pop_back();
  }
  Print(absl::StrCat("\n", table));
  return absl::OkStatus();
}

}  // namespace accel::tools
