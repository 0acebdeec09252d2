// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps ranges apart from each other.
#include "passes/Analysis/IndexRanges.h"

#include <algorithm>
#include <iterator>

using namespace accel;

bool IndexRanges::contains(int64_t begin, int64_t end) const {
  auto next = ends.upper_bound(begin);
  return begin == end ||
         (next != ends.begin() && std::prev(next)->second >= end);
}

bool IndexRanges::overlaps(int64_t begin, int64_t end) const {
  auto next = ends.lower_bound(end);
  return begin != end && next != ends.begin() &&
         std::prev(next)->second > begin;
}

void IndexRanges::insert(int64_t begin, int64_t end) {
  auto next = ends.upper_bound(begin);
  if (next != ends.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != ends.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends.erase(next);
  }
  ends[begin] = end;
}

void IndexRanges::eachGap(
    int64_t size, llvm::function_ref<void(int64_t, int64_t)> body) const {
  int64_t last = 0;
  for (auto [begin, end] : ends) {
    if (last < begin) {
      body(last, begin);
    }
    last = end;
  }
  if (last < size) {
    body(last, size);
  }
}
