// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on global sample numbers.
#include "runtime/executor/batch_plan.h"

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
  const int64_t round = microbatch * ranks;
  plan.rounds_ = (global_batch + round - 1) / round;
  if (forbids_padding && global_batch % round != 0) {
    const int64_t below = global_batch / round * round;
    return absl::InvalidArgumentError(
        absl::StrCat("the model or its loss mixes the samples of a microbatch, "
                     "so the global "
                     "batch must be a multiple of ",
                     round, " (microbatch ", microbatch, " x ", ranks,
                     ranks == 1 ? " rank" : " ranks", "): expected ",
                     below > 0 ? absl::StrCat(below, " or ") : "",
                     plan.rounds_ * round, ", got ", global_batch));
  }
  return plan;
}

BatchPlan::Sample BatchPlan::SampleOf(int64_t step, int64_t round,
                                      int64_t row) const {
  const int64_t first = step * global_batch_;
  const int64_t place = (round * ranks_ + rank_) * microbatch_ + row;
  if (place >= global_batch_) {
    return {first, 0.0f};
  }
  return {first + place, 1.0f};
}

}  // namespace accel::runtime
