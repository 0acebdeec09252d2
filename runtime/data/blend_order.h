// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order a run takes samples of several datasets. Weights are multiples
// of 2^-20, so the order repeats after 2^20 samples at the latest; one period
// is laid out once, and every sample of a run of any length is looked up in it.
//
// The sample at each position comes from the dataset whose next one is due
// first. Of a dataset with quota q in a period of P, sample j may be taken from
// position floor(j P / q) on and is due at ceil((j + 1) P / q) - 1; a dataset
// that keeps to both is never a whole sample away from its weight, and taking
// what is due first keeps all of them to it (Steiner and Yeomans 1993).
//
// Invariants
//   1. |taken of d in the first n - n quota(d) / 2^20| < 1, for all n and d.
#ifndef ACCEL_RUNTIME_DATA_BLEND_ORDER_H_
#define ACCEL_RUNTIME_DATA_BLEND_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace accel::runtime {

// What all weights together are, and the most datasets of a blend.
inline constexpr int64_t kBlendUnit = int64_t{1} << 20;
inline constexpr size_t kMostBlended = 4096;

// The weights as whole numbers that sum up to kBlendUnit, each within one of
// its exact share; what rounding leaves goes to the largest fractions. 0 where
// a weight is too small.
// Requires: weights are positive and finite, as is their sum; there is one, and
// there are no more than kMostBlended.
std::vector<int64_t> RoundWeights(absl::Span<const double> weights);

// Threads: const member functions may be called from any thread.
class BlendOrder {
 public:
  // Requires: quotas are positive and sum up to kBlendUnit.
  // Cost: time and 6 bytes for each sample of the period.
  explicit BlendOrder(std::vector<int64_t> quotas);

  struct Place {
    size_t dataset;
    int64_t index;  // among the samples that the run takes of that dataset
  };
  // Cost: constant.
  // Requires: sample >= 0.
  Place At(int64_t sample) const;

  size_t datasets() const { return quotas_.size(); }
  int64_t period() const { return static_cast<int64_t>(dataset_.size()); }
  // Per dataset, how many of a run's first samples are its.
  std::vector<int64_t> CountFirst(int64_t samples) const;
  // Per dataset, with which sample of the run its sample `indices[d]` is taken;
  // INT64_MAX if that is no smaller. The inverse of At.
  // Requires: one index of 0 or more for each dataset.
  std::vector<int64_t> Find(absl::Span<const int64_t> indices) const;

 private:
  void LayOut();

  std::vector<int64_t> quotas_;  // in a period
  // Of each position of the period.
  std::vector<uint16_t> dataset_;
  std::vector<uint32_t> index_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_BLEND_ORDER_H_
