// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 (Salmon et al., SC11) as the oracle computes it: addressed by
// (seed, site, sample, element) and written apart from the runtime's and the
// kernels', which are checked against it.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_PHILOX_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_PHILOX_H

#include <array>
#include <cstdint>

namespace accel {

using PhiloxWords = std::array<uint32_t, 4>;

/// One block of four words after ten rounds.
PhiloxWords philox(std::array<uint32_t, 2> key, PhiloxWords counter);

/// Block number `block` of a sample's words at a site.
PhiloxWords getPhiloxBlock(int64_t seed, int64_t site, int64_t sample,
                           uint64_t block);

/// What a word must at least be for its element to be kept with `probability`
/// of being dropped: 2^32 keeps none.
uint64_t getDropoutThreshold(double probability);

} // namespace accel

#endif
