// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of the collectives. NCCL promises no order of summation; this
// one depends on the number of ranks, the count and the place of the element
// alone, is the same on all ranks, and is hardly ever the order of the ranks.
// The largest or smallest of a NaN and a number is the number.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_REDUCTION_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::cuda_double::nccl {

// Elements that are reduced in the same order.
constexpr size_t kChunk = 16;

// The order in which the ranks' elements of a chunk are combined.
std::vector<int> OrderOf(int ranks, uint64_t total, uint64_t chunk);

// Combines elements [first, first + count) of a vector of `total` elements.
// Requires: `from` has these elements of each rank.
void Combine(runtime::cuda::NcclDataType type,
             runtime::cuda::NcclReduction reduction,
             const std::vector<std::vector<std::byte>>& from, uint64_t total,
             uint64_t first, size_t count, void* to);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_REDUCTION_H_
