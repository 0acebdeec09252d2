// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that fit into the first-level cache, rank after rank on each of them.
#include "runtime/comm/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace accel::runtime {
namespace {

template <typename T>
struct SumOf {
  T operator()(T a, T b) const { return a + b; }
};
template <>
struct SumOf<int64_t> {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(static_cast<uint64_t>(a) +
                                static_cast<uint64_t>(b));
  }
};
// A NaN wins: no comparison with one holds, so `a` stays only where it is one
// itself or the comparison chose it.
template <typename T>
bool IsNan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  }
  return false;
}
template <typename T>
struct MaxOf {
  T operator()(T a, T b) const { return IsNan(a) || a > b ? a : b; }
};
template <typename T>
struct MinOf {
  T operator()(T a, T b) const { return IsNan(a) || a < b ? a : b; }
};

template <typename T, typename Op>
void ReduceBlocks(absl::Span<const std::byte* const> inputs, uint64_t elements,
                  std::byte* output, Op op) {
  constexpr uint64_t kBlock = 4096 / sizeof(T);
  T sum[kBlock];
  T next[kBlock];
  for (uint64_t begin = 0; begin < elements; begin += kBlock) {
    const uint64_t count = std::min(kBlock, elements - begin);
    const uint64_t at = begin * sizeof(T);
    std::memcpy(sum, inputs[0] + at, count * sizeof(T));
    for (const std::byte* input : inputs.subspan(1)) {
      std::memcpy(next, input + at, count * sizeof(T));
      for (uint64_t i = 0; i < count; ++i) {
        sum[i] = op(sum[i], next[i]);
      }
    }
    std::memcpy(output + at, sum, count * sizeof(T));
  }
}

template <typename T>
void ReduceAs(CollectiveCall::Reduction reduction,
              absl::Span<const std::byte* const> inputs, uint64_t elements,
              std::byte* output) {
  if (reduction == planpb::Collective::REDUCTION_MAX) {
    ReduceBlocks<T>(inputs, elements, output, MaxOf<T>());
  } else if (reduction == planpb::Collective::REDUCTION_MIN) {
    ReduceBlocks<T>(inputs, elements, output, MinOf<T>());
  } else {
    ReduceBlocks<T>(inputs, elements, output, SumOf<T>());
  }
}

}  // namespace

void ReduceInOrder(DType dtype, CollectiveCall::Reduction reduction,
                   absl::Span<const std::byte* const> inputs, uint64_t elements,
                   std::byte* output) {
  if (dtype == DType::kF32) {
    ReduceAs<float>(reduction, inputs, elements, output);
  } else if (dtype == DType::kF64) {
    ReduceAs<double>(reduction, inputs, elements, output);
  } else {
    ReduceAs<int64_t>(reduction, inputs, elements, output);
  }
}

}  // namespace accel::runtime
