// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on global sample numbers.
#include "runtime/executor/batch_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace accel::runtime {

absl::StatusOr<BatchPlan> BatchPlan::Create(int64_t global_batch,
                                            int64_t microbatch, int64_t ranks,
                                            int64_t rank,
                                            bool forbids_padding) {
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
  if (forbids_padding && global_batch % samples != 0) {
    const int64_t below = global_batch / samples * samples;
    return absl::InvalidArgumentError(
        absl::StrCat("the model or its loss mixes the samples of a microbatch, "
                     "so the global "
                     "batch must be a multiple of ",
                     samples, " (microbatch ", microbatch, " x ", ranks,
                     ranks == 1 ? " rank" : " ranks", "): expected ",
                     below > 0 ? absl::StrCat(below, " or ") : "",
                     plan.iterations_ * samples, ", got ", global_batch));
  }
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
