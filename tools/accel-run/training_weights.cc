// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the weights are before the first step; --weights: those of a file.
#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/ballot.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

constexpr size_t kMostNames = 8;

std::string NamesOf(const std::vector<runtime::WeightsComparison::Row>& rows) {
  std::string names;
  for (size_t i = 0; i < std::min(rows.size(), kMostNames); ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ", "'", rows[i].name, "'");
  }
  if (rows.size() > kMostNames) {
    absl::StrAppend(&names, " and ", rows.size() - kMostNames, " more");
  }
  return names;
}

// Formats that weights often have, and that have to become another first.
absl::Status CheckFormat(const std::string& path) {
  if (absl::EndsWith(path, ".onnx")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path,
        "': expected a safetensors file, got an ONNX model by its "
        "name; a plan that is compiled of it begins with its weights"));
  }
  for (const absl::string_view ending : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (absl::EndsWith(path, ending)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path,
          "': expected a safetensors file, got one of PyTorch's "
          "pickles by its name, which are programs; write the state dict with "
          "safetensors.torch.save_file"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TrainingRun::FindWeights() {
  if (options_.weights.empty()) {
    return absl::OkStatus();
  }
  if (resumed_ != nullptr) {
    SayOnce(absl::StrCat("--weights: '", options_.weights,
                         "' is not read, as the run goes on from the "
                         "checkpoint of step ",
                         origin_.step));
    return absl::OkStatus();
  }
  const absl::Status format =
      runtime::Annotate(CheckFormat(options_.weights), "--weights");
  all_know_ = !format.ok();
  RETURN_IF_ERROR(WithExitCode(format, ExitCode::kCommandLine));
  auto opened =
      runtime::SafetensorsSet::Open(environment_.vfs, options_.weights);
  ASSIGN_OR_RETURN(
      const runtime::Verdict verdict,
      runtime::Vote(group_ == nullptr ? nullptr : &group_->communicator(),
                    "the files of --weights", opened.status()));
  all_know_ = !verdict.status.ok();
  RETURN_IF_ERROR(runtime::Annotate(verdict.status, "--weights"));
  weights_ = *std::move(opened);
  ASSIGN_OR_RETURN(const auto comparison,
                   runtime::CompareWeights(plan_->view(), *weights_));
  // All ranks compare the same.
  const absl::Status fits = runtime::CheckWeights(
      comparison, options_.weights_allowance, options_.weights);
  all_know_ = !fits.ok();
  RETURN_IF_ERROR(WithExitCode(runtime::Annotate(fits, "--weights"),
                               ExitCode::kCommandLine));
  loaded_tensors_ = static_cast<int64_t>(comparison.fitting);
  if (!comparison.missing.empty()) {
    SayOnce(absl::StrCat("--weights: as in a run without it begin ",
                         NamesOf(comparison.missing)));
  }
  if (!comparison.unexpected.empty()) {
    SayOnce(absl::StrCat("--weights: no parameters of the plan, so not used: ",
                         NamesOf(comparison.unexpected)));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::InitializeWith(
    const runtime::SafetensorsSet& weights) {
  return executor_->Initialize(
      [&](runtime::Executor& rank, runtime::Executor::RestoredPart part) {
        return part == runtime::Executor::RestoredPart::kParameters
                   ? runtime::LoadWeights(plan_->view(), weights, rank)
                   : absl::OkStatus();
      });
}

absl::Status TrainingRun::Initialize() {
  PrintHeader();
  NoteBegin(planpb::FUNCTION_INITIALIZE, 0);
  RETURN_IF_ERROR(resumed_ != nullptr   ? Restore()
                  : weights_ != nullptr ? InitializeWith(*weights_)
                                        : executor_->Initialize());
  weights_ = nullptr;
  RETURN_IF_ERROR(ApplySettings(settings_, *executor_));
  has_begun_ = true;
  return absl::OkStatus();
}

void TrainingRun::AddWeightsFacts(runtime::RankFacts& facts) const {
  const runtime::WeightsAllowance& allowed = options_.weights_allowance;
  facts.push_back({"--weights", options_.weights});
  facts.push_back({"--weights-allow=missing", allowed.missing ? "on" : "off"});
  facts.push_back(
      {"--weights-allow=unexpected", allowed.unexpected ? "on" : "off"});
}

void TrainingRun::SayOnce(absl::string_view text) const {
  if (IsFirst()) {
    environment_.logger.Log(runtime::LogLevel::kInfo, text);
  }
}

}  // namespace accel::tools
