// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits that depend on a seed and a number, for schedules and perturbations.
#ifndef ACCEL_TEST_CUDA_PTX_HASH_H_
#define ACCEL_TEST_CUDA_PTX_HASH_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace accel::ptx {

// The finaliser of SplitMix64: every bit of the result depends on all of both.
inline uint64_t Hash(uint64_t seed, uint64_t number) {
  uint64_t z = seed * 0xd1342543de82ef95 + number * 0x9e3779b97f4a7c15 + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename T>
void Permute(std::vector<T>& values, uint64_t seed) {
  for (size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[Hash(seed, i) % i]);
  }
}

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_HASH_H_
