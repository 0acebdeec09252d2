// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on global sample numbers.
#include "runtime/executor/batch_plan.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

std::string BelowOr(int64_t below) {
  return below > 0 ? absl::StrCat(below, " or ") : "";
}

absl::Status CheckWhole(int64_t global_batch, int64_t microbatch,
                        int64_t ranks) {
  const int64_t samples = microbatch * ranks;
  const int64_t below = global_batch / samples * samples;
  if (below == global_batch) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the model or its loss mixes the samples of a microbatch, so the global "
      "batch must be a multiple of ",
      samples, " (microbatch ", microbatch, " x ", ranks,
      ranks == 1 ? " rank" : " ranks", "): expected ", BelowOr(below),
      below + samples, ", got ", global_batch));
}

// The last group of samples whose statistics are taken together must have
// `rules.least_samples` of them.
absl::Status CheckStatistics(int64_t global_batch, int64_t microbatch,
                             int64_t ranks, const BatchRules& rules) {
  const bool all = rules.synchronized_statistics;
  const int64_t samples = microbatch * (all ? ranks : 1);
  const int64_t below = (global_batch - 1) / samples * samples;
  const int64_t last = global_batch - below;
  if (last >= rules.least_samples) {
    return absl::OkStatus();
  }
  const std::string where =
      all ? absl::StrCat("microbatch ", microbatch, " x ", ranks,
                         ranks == 1 ? " rank" : " ranks")
          : absl::StrCat("microbatch ", microbatch);
  const std::string why = absl::StrCat(
      "the model's batch norms take their statistics of at least ",
      rules.least_samples,
      " samples, because a channel has one element of each and a single one "
      "has no variance");
  if (samples < rules.least_samples) {
    return absl::InvalidArgumentError(absl::StrCat(
        why,
        ": expected more ranks or a larger microbatch (accelc --dim "
        "batch=), got ",
        samples, " (", where, ")"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(why, ": expected a global batch whose last ",
                   all ? "iteration" : "microbatch", " has so many, ",
                   BelowOr(below), below + rules.least_samples, ", got ",
                   global_batch, ", which leaves ", last, " (", where, ")"));
}

}  // namespace

BatchRules BatchRules::Of(const planpb::Manifest& manifest) {
  return {.forbids_padding = manifest.forbids_padding(),
          .least_samples =
              static_cast<int64_t>(manifest.objective().least_samples()),
          .synchronized_statistics =
              manifest.objective().synchronized_statistics()};
}

absl::StatusOr<BatchPlan> BatchPlan::Create(int64_t global_batch,
                                            int64_t microbatch, int64_t ranks,
                                            int64_t rank,
                                            const BatchRules& rules) {
  if (global_batch < 1 || global_batch > kMaxGlobalBatch) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a global batch between 1 and ", kMaxGlobalBatch,
                     " samples, got ", global_batch));
  }
  BatchPlan plan;
  plan.global_batch_ = global_batch;
  plan.microbatch_ = microbatch;
  plan.ranks_ = ranks;
  plan.rank_ = rank;
  const int64_t samples = microbatch * ranks;  // of an iteration
  plan.iterations_ = (global_batch + samples - 1) / samples;
  if (rules.forbids_padding) {
    RETURN_IF_ERROR(CheckWhole(global_batch, microbatch, ranks));
  }
  RETURN_IF_ERROR(CheckStatistics(global_batch, microbatch, ranks, rules));
  return plan;
}

BatchPlan BatchPlan::CreateOnce(int64_t samples, int64_t microbatch,
                                int64_t ranks, int64_t rank) {
  const auto divide = [](int64_t all, int64_t part) {
    return all / part + (all % part == 0 ? 0 : 1);
  };
  const int64_t iterations = divide(samples, microbatch * ranks);
  const int64_t steps = divide(iterations, kMostMicrobatches);
  BatchPlan plan;
  plan.microbatch_ = microbatch;
  plan.ranks_ = ranks;
  plan.rank_ = rank;
  plan.iterations_ = divide(iterations, steps);
  plan.global_batch_ = plan.iterations_ * microbatch * ranks;
  plan.end_ = samples;
  return plan;
}

BatchPlan::Sample BatchPlan::SampleOf(int64_t step, int64_t iteration,
                                      int64_t row) const {
  const int64_t first = FirstSample(step);
  const int64_t place = (iteration * ranks_ + rank_) * microbatch_ + row;
  if (place >= global_batch_ || place >= end_ - first) {
    return {first, 0.0f};
  }
  return {first + place, 1.0f};
}

int64_t BatchPlan::MicrobatchesBehind(int64_t iteration) const {
  const int64_t all = (global_batch_ + microbatch_ - 1) / microbatch_;
  return std::max<int64_t>(0, all - 1 - (iteration * ranks_ + rank_));
}

}  // namespace accel::runtime
