// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search for the longest repetition.
#include "passes/Shard/RepeatedBlocks.h"

namespace accel {

RepeatedBlocks findRepeatedBlocks(llvm::ArrayRef<int64_t> sequence) {
  int64_t size = sequence.size();
  RepeatedBlocks best;
  // Lengths ascend, so that a block that repeats a shorter one never covers
  // more than that one did.
  for (int64_t length = 1; 2 * length <= size; ++length) {
    // The elements from `begin` on that equal the one `length` earlier.
    int64_t begin = 0;
    for (int64_t i = length; i <= size; ++i) {
      if (i < size && sequence[i] == sequence[i - length]) {
        continue;
      }
      int64_t count = (i - begin) / length;
      if (count >= 2 && count * length > best.length * best.count) {
        best = {begin, length, count};
      }
      begin = i - length + 1;
    }
  }
  bool isWorthIt = best.length >= 2 && 2 * best.length * best.count >= size;
  return isWorthIt ? best : RepeatedBlocks();
}

} // namespace accel
