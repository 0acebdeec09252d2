// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run says of itself before it trains: the header and run.json.
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/sha256.h"
#include "runtime/base/wall_clock.h"
#include "runtime/io/atomic_file.h"
#include "runtime/text/printable.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

// Of run.json.
constexpr int kRecordVersion = 1;

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
  for (const runtime::MemoryPart& part : layout.PrivateParts()) {
    add(part.name, part.bytes);
  }
  add(layout.binding().rank_count() == 1 ? "gathered"
                                         : "gathered, for all ranks",
      layout.SharedBytes());
  add("staging", layout.staging().BytesOfRank());
  return text;
}

}  // namespace

std::string TrainingRun::MakeRunId(int64_t started_ns) const {
  runtime::Sha256 hash;
  hash.UpdateInteger(static_cast<uint64_t>(started_ns));
  hash.UpdateInteger(static_cast<uint64_t>(::getpid()));
  hash.Update(runtime::ToHex(plan_->root()));
  hash.Update(dataset_->identity());
  return runtime::ToHex(hash.Finish()).substr(0, 16);
}

// No CPU has units for floats of 8 bits, whatever else the plan is made for.
bool TrainingRun::EmulatesFp8() const {
  const planpb::Manifest& manifest = plan_->manifest();
  const absl::StatusOr<int> variant = device_->ChooseVariant(plan_->view());
  return manifest.has_fp8() &&
         (manifest.fp8().emulated() ||
          (variant.ok() &&
           manifest.variants(*variant).device() == planpb::DEVICE_CPU));
}

absl::Status TrainingRun::WriteRecord(const std::string& id,
                                      int64_t started_ns) {
  nlohmann::ordered_json record;
  record["version"] = kRecordVersion;
  record["run"] = id;
  record["started"] = runtime::FormatUtc(started_ns);
  record["plan_sha256"] = runtime::ToHex(plan_->root());
  record["model"] = plan_->manifest().model().name();
  record["plan"] = options_.plan;
  record["data_sha256"] = dataset_->identity();
  if (weights_ != nullptr) {
    record["weights"] = options_.weights;
  }
  if (evaluation_ != nullptr) {
    record["eval_data_sha256"] = evaluation_->dataset().identity();
    record["eval_every"] = options_.eval_every;
  }
  record["seed"] = options_.seed;
  record["shuffle"] = options_.shuffle;
  record["steps"] = steps_;
  if (resumed_ != nullptr) {
    record["resumed"] = {{"from", resumed_->folder()},
                         {"step", origin_.step},
                         {"samples", origin_.sample}};
  }
  if (plan_->manifest().has_fp8()) {
    record["fp8"] = {{"recipe", plan_->manifest().fp8().recipe()},
                     {"emulated", EmulatesFp8()}};
  }
  record["on_nonfinite"] = SkipsNonFinite() ? "skip" : "halt";
  record["global_batch"] = global_batch_;
  record["ranks"] = ranks();
  record["threads"] = device_->threads();
  record["device"] = device_->Describe();
  record["execution"] = executor_->Describe();
  for (const auto& [kernel, call] : executor_->LibraryCalls()) {
    record["library_calls"][kernel] = call;
  }
  if (const std::optional<uint64_t> planned = PlannedPeakBytes()) {
    record["planned_peak_bytes"] = *planned;
  }
  // What the plan takes on each rank, the memory that ranks share included.
  record["planned_rank_bytes"] = executor_->layout().TotalBytes();
  if (copy_ != nullptr) {
    record["checkpoint_copy_bytes"] = copy_bytes_;
  }
  for (const Setting& setting : settings_) {
    record["hyperparameters"][setting.name] = setting.value;
  }
  return runtime::WriteFileAtomically(environment_.vfs,
                                      directory_->record_path(),
                                      absl::StrCat(record.dump(2), "\n"));
}

void TrainingRun::Print(absl::string_view text) {
  if (options_.quiet) {
    return;
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    environment_.console.PrintLine(runtime::Printable(line));
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
  PrintMachine();
  std::string data = dataset_->Describe(SamplesAfter(steps_));
  while (!data.empty() && data.back() == '\n') {
    data.pop_back();
  }
  Print(absl::StrCat("data    ", data));
  if (evaluation_ != nullptr) {
    Print(absl::StrCat("eval    ", evaluation_->Describe()));
  }
  Print(absl::StrCat(
      "batch   ", runtime::Amount(global_batch_, "sample"), " = ",
      executor_->iterations(), " x ",
      ranks() == 1 ? "" : absl::StrCat(ranks(), " ranks x "),
      manifest.microbatch(),
      global_batch_ % (static_cast<int64_t>(manifest.microbatch()) * ranks()) ==
              0
          ? ""
          : ", the last one padded"));
  if (resumed_ != nullptr) {
    Print(absl::StrCat("resume  step ", origin_.step, ", behind ",
                       runtime::Amount(origin_.sample, "sample"), ", from '",
                       resumed_->folder(), "'"));
  }
  if (weights_ != nullptr) {
    Print(absl::StrCat("weights ", runtime::Amount(loaded_tensors_, "tensor"),
                       " of '", options_.weights, "'"));
  }
  Print(absl::StrCat("run     ",
                     directory_ == nullptr ? "of rank 0" : directory_->path(),
                     ", ", runtime::Amount(steps_, "step")));
}

void TrainingRun::PrintMachine() {
  const planpb::Manifest& manifest = plan_->manifest();
  Print(absl::StrCat("plan    ", manifest.model().name(), ", ",
                     runtime::FormatCount(static_cast<int64_t>(
                         manifest.model().parameter_count())),
                     " parameters", EmulatesFp8() ? ", fp8 emulated" : "",
                     ", sha256 ", runtime::ToHex(plan_->root()).substr(0, 16)));
  Print(absl::StrCat("device  ", device_->Describe(), ", ", RanksText(),
                     executor_->Describe()));
  Print(absl::StrCat("memory  ", ranks() == 1 ? "" : "each rank ",
                     MemoryText(executor_->layout()),
                     copy_ == nullptr
                         ? ""
                         : absl::StrCat("; ", runtime::FormatBytes(copy_bytes_),
                                        " for a copy of what is saved")));
}

std::string TrainingRun::RanksText() const {
  return group_ == nullptr
             ? ""
             : absl::StrCat(ranks(), " ranks as processes, each ");
}

}  // namespace accel::tools
