// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which samples a rank sees in which microbatch: a pure function of the step
// and the sizes, so ranks, microbatching and history change nothing.
#ifndef ACCEL_RUNTIME_EXECUTOR_BATCH_PLAN_H_
#define ACCEL_RUNTIME_EXECUTOR_BATCH_PLAN_H_

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Global batches up to this; with steps below 2^31, sample numbers fit 63 bits.
inline constexpr int64_t kMaxGlobalBatch = int64_t{1} << 31;

// Where steps are counted from: a run that goes on does so at a step of its own
// with the sample behind the last one, whatever its global batch was then.
struct SampleOrigin {
  int64_t step = 0;
  int64_t sample = 0;
};

// What a model asks of the batch of a step.
struct BatchRules {
  // The operators mix samples, so every iteration must be full.
  bool forbids_padding = false;
  // The fewest samples that batch norms can take statistics of: those of a
  // microbatch, or of an iteration of all ranks.
  int64_t least_samples = 0;
  bool synchronized_statistics = false;

  static BatchRules Of(const planpb::Manifest& manifest);
};

class BatchPlan {
 public:
  struct Sample {
    int64_t index = 0;    // of the run
    float weight = 1.0f;  // 0: padding
  };

  static absl::StatusOr<BatchPlan> Create(int64_t global_batch,
                                          int64_t microbatch, int64_t ranks,
                                          int64_t rank,
                                          const BatchRules& rules);

  // Takes samples [0, samples) in order, each once, in steps of as few
  // microbatches as possible: all of as many, and none of more than
  // kMostMicrobatches, so that somebody can look between them.
  // Requires: samples > 0.
  static BatchPlan CreateOnce(int64_t samples, int64_t microbatch,
                              int64_t ranks, int64_t rank);
  static constexpr int64_t kMostMicrobatches = 8;
  // Of one that takes each sample once: how many steps there are.
  int64_t steps() const { return (end_ + global_batch_ - 1) / global_batch_; }

  // Steps before the origin have no samples.
  void SetOrigin(const SampleOrigin& origin) { origin_ = origin; }
  // The first sample of a step; of the step behind the last one, the next
  // run's.
  int64_t FirstSample(int64_t step) const {
    return origin_.sample + (step - origin_.step) * global_batch_;
  }

  int64_t global_batch() const { return global_batch_; }
  int64_t microbatch() const { return microbatch_; }
  // Microbatches of a rank in one step.
  int64_t iterations() const { return iterations_; }

  // Row `row` of microbatch `iteration`. Iterations take the global batch in
  // order, rank by rank; what is missing in the last one is filled with copies
  // of the batch's first sample at weight 0, as is what lies behind the last
  // sample.
  Sample SampleOf(int64_t step, int64_t iteration, int64_t row) const;

  // How many microbatches with samples of the step, of all ranks, come behind
  // microbatch `iteration` of this rank; of one that is nothing but padding, 0.
  int64_t MicrobatchesBehind(int64_t iteration) const;
  // How many iterations of the step come behind `iteration`.
  int64_t IterationsBehind(int64_t iteration) const {
    return iterations_ - 1 - iteration;
  }

 private:
  BatchPlan() = default;

  int64_t global_batch_ = 1;
  int64_t microbatch_ = 1;
  int64_t ranks_ = 1;
  int64_t rank_ = 0;
  int64_t iterations_ = 1;
  int64_t end_ = std::numeric_limits<int64_t>::max();  // of all samples
  SampleOrigin origin_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_BATCH_PLAN_H_
