// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One collective of a rank: what is called, and the rules of NCCL's documents
// on its arguments and buffers.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::cuda_double::nccl {

namespace cuda = ::accel::runtime::cuda;

enum class Kind : int {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce
};

struct Collective {
  Kind kind = Kind::kAllReduce;
  const void* send = nullptr;
  void* receive = nullptr;
  size_t count = 0;
  cuda::NcclDataType type = 0;
  cuda::NcclReduction reduction = cuda::kNcclSum;
  int root = 0;
};

// The rank whose collective it is.
struct Rank {
  int rank = 0;
  int ranks = 1;
};

struct Range {
  uint64_t begin = 0;
  uint64_t bytes = 0;

  bool Overlaps(const Range& other) const {
    return bytes != 0 && other.bytes != 0 &&
           begin < other.begin + other.bytes && other.begin < begin + bytes;
  }
};

// 0 for a type that the double does not know.
size_t ElementBytes(cuda::NcclDataType type);
const char* EntryOf(Kind kind);
// "ncclReduce of 5 f32, max, root 1"
std::string Describe(const Collective& collective);
bool Reduces(const Collective& collective);
bool HasRoot(const Collective& collective);

// How many elements a rank sends, which may be none.
size_t SentCount(const Collective& collective, const Rank& rank);
Range ReadBy(const Collective& collective, const Rank& rank);
Range WrittenBy(const Collective& collective, const Rank& rank);

// What is wrong with the arguments themselves, or nothing.
std::string CheckArguments(const Collective& collective, const Rank& rank);
// Whether the buffers lie apart, or in the one way that is called in place.
std::string CheckOverlap(const Collective& collective, const Rank& rank);
// Whether the last collective of a group and an earlier one share bytes that
// one of them writes.
std::string CheckGroup(const std::vector<Collective>& group, const Rank& rank);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_H_
