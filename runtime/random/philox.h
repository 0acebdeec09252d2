// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counter-based random numbers of the system: Philox4x32-10 (Salmon et al.,
// SC11), addressed by (seed, site, sample, element), so that a value depends on
// what it is for and never on who asks first. The compiler's kernels and its
// interpreter compute the same words.
//
//   key     = { uint32(seed ^ (seed >> 32)), uint32(site) }
//   counter = { lo32(element / 4), hi32(element / 4), lo32(sample),
//   hi32(sample) } word of an element = output[element % 4]
#ifndef ACCEL_RUNTIME_RANDOM_PHILOX_H_
#define ACCEL_RUNTIME_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace accel::runtime {

using PhiloxKey = std::array<uint32_t, 2>;
using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxBlock = std::array<uint32_t, 4>;

// Sites from here on belong to the runtime; the compiler numbers its own
// (dropout, initial values) from zero and refuses to reach this one.
inline constexpr uint32_t kFirstRuntimeSite = 0xffff0000u;
inline constexpr uint32_t kPermutationSite = kFirstRuntimeSite;
// Synthetic data uses this one and the few that follow it.
inline constexpr uint32_t kSyntheticSite = kFirstRuntimeSite + 16;

// One Philox4x32 block after ten rounds.
constexpr PhiloxBlock Philox4x32(PhiloxKey key, PhiloxCounter counter) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53u;
  constexpr uint64_t kMultiplier1 = 0xCD9E8D57u;
  constexpr uint32_t kWeyl0 = 0x9E3779B9u;
  constexpr uint32_t kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

constexpr PhiloxKey MakePhiloxKey(uint64_t seed, uint32_t site) {
  return {static_cast<uint32_t>(seed ^ (seed >> 32)), site};
}

constexpr PhiloxCounter MakePhiloxCounter(uint64_t sample, uint64_t element) {
  const uint64_t block = element >> 2;
  return {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
          static_cast<uint32_t>(sample), static_cast<uint32_t>(sample >> 32)};
}

// The random word of one element.
constexpr uint32_t RandomWord(uint64_t seed, uint32_t site, uint64_t sample,
                              uint64_t element) {
  return Philox4x32(MakePhiloxKey(seed, site),
                    MakePhiloxCounter(sample, element))[element & 3];
}

// `word` scaled to [0, bound) by the high half of a product: the bias is below
// bound / 2^32.
// Requires: bound > 0.
constexpr uint32_t ScaleBelow(uint32_t word, uint32_t bound) {
  return static_cast<uint32_t>((uint64_t{word} * bound) >> 32);
}

// `word` as a number in [0, 1): its upper 24 bits, exact in float.
constexpr float UnitFloat(uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_RANDOM_PHILOX_H_
