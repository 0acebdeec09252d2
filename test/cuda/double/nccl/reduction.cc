// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "test/cuda/double/nccl/configuration.h"

namespace accel::cuda_double::nccl {
namespace {

using namespace runtime::cuda;  // NOLINT

template <typename T>
T Apply(NcclReduction reduction, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (reduction == kNcclSum) {
      return a + b;
    }
    return reduction == kNcclMax ? std::fmax(a, b) : std::fmin(a, b);
  } else {
    if (reduction == kNcclSum) {
      // Overflow wraps.
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) +
                            static_cast<Unsigned>(b));
    }
    return reduction == kNcclMax ? std::max(a, b) : std::min(a, b);
  }
}

template <typename T>
void CombineAs(NcclReduction reduction,
               const std::vector<std::vector<std::byte>>& from, uint64_t total,
               uint64_t first, size_t count, void* to) {
  T result[kChunk] = {};
  T value[kChunk] = {};
  for (size_t done = 0; done < count;) {
    const uint64_t chunk = (first + done) / kChunk;
    const size_t n =
        std::min<uint64_t>(count - done, (chunk + 1) * kChunk - first - done);
    bool is_first = true;
    for (const int rank :
         OrderOf(static_cast<int>(from.size()), total, chunk)) {
      std::memcpy(value,
                  from[static_cast<size_t>(rank)].data() + done * sizeof(T),
                  n * sizeof(T));
      for (size_t k = 0; k < n; ++k) {
        result[k] =
            is_first ? value[k] : Apply<T>(reduction, result[k], value[k]);
      }
      is_first = false;
    }
    std::memcpy(static_cast<std::byte*>(to) + done * sizeof(T), result,
                n * sizeof(T));
    done += n;
  }
}

}  // namespace

std::vector<int> OrderOf(int ranks, uint64_t total, uint64_t chunk) {
  const uint64_t hash = Hash(static_cast<uint64_t>(ranks), total, chunk);
  const int step = (hash >> 32) % 2 == 0 ? 1 : ranks - 1;
  int rank = static_cast<int>(hash % static_cast<uint64_t>(ranks));
  std::vector<int> order;
  for (int n = 0; n < ranks; ++n) {
    order.push_back(rank);
    rank = (rank + step) % ranks;
  }
  return order;
}

void Combine(NcclDataType type, NcclReduction reduction,
             const std::vector<std::vector<std::byte>>& from, uint64_t total,
             uint64_t first, size_t count, void* to) {
  switch (type) {
    case kNcclUint8:
      return CombineAs<uint8_t>(reduction, from, total, first, count, to);
    case kNcclInt64:
      return CombineAs<int64_t>(reduction, from, total, first, count, to);
    case kNcclFloat32:
      return CombineAs<float>(reduction, from, total, first, count, to);
    case kNcclFloat64:
      return CombineAs<double>(reduction, from, total, first, count, to);
    default:
      return;  // CheckArguments refuses other types.
  }
}

}  // namespace accel::cuda_double::nccl
