// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bucket is in which buffer when: the problem, its solver, and a check of
// the answer that does not trust the solver.
#ifndef ACCEL_PASSES_SCHEDULE_BUCKETLIVERANGES_H
#define ACCEL_PASSES_SCHEDULE_BUCKETLIVERANGES_H

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace accel {

/// So many buckets are whole at the same time at most, unless an instruction
/// uses more: the one that is used and the one that is on its way.
inline constexpr unsigned kBucketBuffers = 2;

/// A bucket in a buffer, from its first use to its last.
struct BucketLiveRange {
  unsigned bucket = 0;
  unsigned buffer = 0;
  unsigned first = 0; ///< instruction
  unsigned last = 0;  ///< instruction
  /// The live range before it in its buffer; -1: none. From that one's last use
  /// on the buffer is free for this one.
  int before = -1;
};

/// The instructions of a loop's body in order, each with the buckets it uses.
struct BucketUses {
  std::vector<llvm::SmallVector<unsigned, 2>> instructions;

  /// kBucketBuffers, or as many as the instruction that uses the most: a kernel
  /// of a model whose layers are found otherwise than they are built may read
  /// parameters of several.
  unsigned countBuffers() const;

  /// Live ranges in the order of their first uses. A bucket that is used again
  /// after as many others as there are buffers comes back in a live range of
  /// its own. Of those in the buffers the one whose last use is longest ago
  /// makes room: the others are those that the layer before, or behind, still
  /// uses.
  std::vector<BucketLiveRange> solve() const;

  /// Describes the first use that no live range covers, the first two live
  /// ranges of a buffer that overlap, and the first that names another one
  /// before it than there is; empty if there are none.
  std::string verify(const std::vector<BucketLiveRange> &liveRanges) const;
};

} // namespace accel

#endif
