// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live ranges by age, and their proof.
#include "passes/Schedule/BucketLiveRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace accel {

unsigned BucketUses::countBuffers() const {
  size_t most = kBucketBuffers;
  for (const SmallVector<unsigned, 2> &used : instructions) {
    most = std::max(most, used.size());
  }
  return most;
}

std::vector<BucketLiveRange> BucketUses::solve() const {
  std::vector<BucketLiveRange> liveRanges;
  SmallVector<int> current(countBuffers(), -1);
  for (unsigned i = 0; i < instructions.size(); ++i) {
    auto isCurrent = [&](unsigned bucket) {
      return llvm::any_of(current, [&](int liveRange) {
        return liveRange >= 0 && liveRanges[liveRange].bucket == bucket;
      });
    };
    // What is there stays there for this instruction.
    for (int liveRange : current) {
      if (liveRange >= 0 &&
          llvm::is_contained(instructions[i], liveRanges[liveRange].bucket)) {
        liveRanges[liveRange].last = i;
      }
    }
    for (unsigned bucket : instructions[i]) {
      if (isCurrent(bucket)) {
        continue;
      }
      auto age = [&](int liveRange) {
        return liveRange < 0 ? -1
                             : static_cast<int>(liveRanges[liveRange].last);
      };
      auto *oldest = llvm::min_element(
          current, [&](int left, int right) { return age(left) < age(right); });
      auto buffer = static_cast<unsigned>(oldest - current.begin());
      liveRanges.push_back({bucket, buffer, i, i, *oldest});
      *oldest = static_cast<int>(liveRanges.size()) - 1;
    }
  }
  return liveRanges;
}

/// Live ranges of a buffer do not overlap: the one before is the latest one
/// that ends in front of `liveRange`. -1: none.
static int findBefore(const std::vector<BucketLiveRange> &liveRanges,
                      const BucketLiveRange &liveRange) {
  int before = -1;
  for (auto [j, other] : llvm::enumerate(liveRanges)) {
    bool isInFront =
        other.buffer == liveRange.buffer && other.last < liveRange.first;
    if (isInFront && (before < 0 || liveRanges[before].last < other.last)) {
      before = static_cast<int>(j);
    }
  }
  return before;
}

std::string
BucketUses::verify(const std::vector<BucketLiveRange> &liveRanges) const {
  for (auto [i, buckets] : llvm::enumerate(instructions)) {
    for (unsigned bucket : buckets) {
      auto covering = llvm::count_if(liveRanges, [&, at = i](const auto &each) {
        return each.bucket == bucket && each.first <= at && at <= each.last;
      });
      if (covering != 1) {
        return formatv("expected bucket {0} in one buffer at instruction {1}, "
                       "got it in {2}",
                       bucket, i, covering);
      }
    }
  }
  for (auto [i, liveRange] : llvm::enumerate(liveRanges)) {
    if (liveRange.buffer >= countBuffers() ||
        liveRange.last < liveRange.first ||
        liveRange.last >= instructions.size()) {
      return formatv("live range {0} has no buffer or no use", i);
    }
    for (size_t j = 0; j < i; ++j) {
      const BucketLiveRange &other = liveRanges[j];
      if (other.buffer == liveRange.buffer && other.last >= liveRange.first &&
          liveRange.last >= other.first) {
        return formatv("expected one bucket in buffer {0}, got {1} and {2} at "
                       "instruction {3}",
                       liveRange.buffer, other.bucket, liveRange.bucket,
                       std::max(other.first, liveRange.first));
      }
    }
    int before = findBefore(liveRanges, liveRange);
    if (liveRange.before != before) {
      return formatv(
          "expected live range {0} behind {1} in its buffer, got behind "
          "{2}",
          i, before, liveRange.before);
    }
  }
  return "";
}

} // namespace accel
