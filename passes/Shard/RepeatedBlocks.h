// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The repeated blocks of a sequence: where a model's layers begin and how long
// each is, whatever its names.
#ifndef ACCEL_PASSES_SHARD_REPEATEDBLOCKS_H
#define ACCEL_PASSES_SHARD_REPEATEDBLOCKS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace accel {

/// `count` blocks of `length` elements, the first at `begin`.
struct RepeatedBlocks {
  int64_t begin = 0;
  int64_t length = 0;
  int64_t count = 0;

  int64_t getEnd() const { return begin + length * count; }
  explicit operator bool() const { return count > 0; }
};

/// The repetition of adjacent equal blocks that covers most of `sequence`; of
/// equal ones that with the shortest blocks, then the first. Blocks have two
/// elements at least, are no repetition themselves and cover half of the
/// sequence at least; otherwise there are none. Cost: quadratic in the length
/// of `sequence`.
RepeatedBlocks findRepeatedBlocks(llvm::ArrayRef<int64_t> sequence);

} // namespace accel

#endif
