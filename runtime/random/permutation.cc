// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Feistel network over the next power of two, walked until it lands inside.
#include "runtime/random/permutation.h"

#include <bit>
#include <cstdlib>
#include <utility>

namespace accel::runtime {
namespace {

// Even, so that the two halves, which may differ in width by one bit, end where
// they began. Four rounds already make a strong permutation of large domains;
// small ones need more to mix.
constexpr uint32_t kRounds = 12;

uint32_t Mask(int bits) {
  return static_cast<uint32_t>((uint64_t{1} << bits) - 1);
}

}  // namespace

Permutation::Permutation(uint64_t seed, uint64_t epoch, uint64_t n)
    : n_(n), epoch_(epoch), key_(MakePhiloxKey(seed, kPermutationSite)) {
  if (n == 0) {
    std::abort();
  }
  const int bits = std::bit_width(n - 1);
  high_bits_ = (bits + 1) / 2;
  low_bits_ = bits / 2;
}

uint64_t Permutation::operator()(uint64_t i) const {
  if (n_ == 1) {
    return 0;
  }
  // A walk returns to its start after visiting the whole cycle, and its start
  // lies inside: it always ends.
  uint64_t value = i;
  do {
    value = Walk(value);
  } while (value >= n_);
  return value;
}

uint32_t Permutation::RoundFunction(uint32_t half, uint32_t round) const {
  return Philox4x32(key_, {half, round, static_cast<uint32_t>(epoch_),
                           static_cast<uint32_t>(epoch_ >> 32)})[0];
}

uint64_t Permutation::Walk(uint64_t value) const {
  int left_bits = high_bits_;
  int right_bits = low_bits_;
  uint32_t left = static_cast<uint32_t>(value >> low_bits_);
  uint32_t right = static_cast<uint32_t>(value) & Mask(low_bits_);
  for (uint32_t round = 0; round < kRounds; ++round) {
    // The new right half is as wide as the old left one.
    const uint32_t mixed =
        left ^ (RoundFunction(right, round) & Mask(left_bits));
    left = right;
    right = mixed;
    std::swap(left_bits, right_bits);
  }
  return (uint64_t{left} << low_bits_) | right;
}

}  // namespace accel::runtime
