// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of indices, as ranges.
#ifndef ACCEL_PASSES_ANALYSIS_INDEXRANGES_H
#define ACCEL_PASSES_ANALYSIS_INDEXRANGES_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>

namespace accel {

/// Disjoint ranges [begin, end) of bytes or elements; neighbours are joined.
class IndexRanges {
public:
  bool contains(int64_t begin, int64_t end) const;
  bool overlaps(int64_t begin, int64_t end) const;
  void insert(int64_t begin, int64_t end);

  /// Calls `body(begin, end)` for what of [0, size) is in none, in order.
  void eachGap(int64_t size,
               llvm::function_ref<void(int64_t, int64_t)> body) const;

private:
  std::map<int64_t, int64_t> ends; ///< by where a range begins
};

} // namespace accel

#endif
