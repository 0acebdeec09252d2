// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pseudo-random order of n rows as a function: row i of epoch e is computed,
// not stored, so a run resumes anywhere at no cost and on any number of ranks.
#ifndef ACCEL_RUNTIME_RANDOM_PERMUTATION_H_
#define ACCEL_RUNTIME_RANDOM_PERMUTATION_H_

#include <cstdint>

#include "runtime/random/philox.h"

namespace accel::runtime {

// A bijection of [0, n) for every n >= 1, keyed by (seed, epoch).
//
// Cost: constant; fewer than two Feistel walks on average, because the domain
// is the next power of two.
class Permutation {
 public:
  // Requires: n >= 1.
  Permutation(uint64_t seed, uint64_t epoch, uint64_t n);

  uint64_t size() const { return n_; }

  // Requires: i < size().
  uint64_t operator()(uint64_t i) const;

 private:
  uint64_t Walk(uint64_t value) const;
  uint32_t RoundFunction(uint32_t half, uint32_t round) const;

  uint64_t n_;
  uint64_t epoch_;
  PhiloxKey key_;
  int high_bits_;
  int low_bits_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_RANDOM_PERMUTATION_H_
