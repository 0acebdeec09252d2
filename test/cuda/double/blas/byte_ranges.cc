// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/byte_ranges.h"

#include <algorithm>
#include <utility>

namespace accel::cuda_double::blas {

ByteRanges::ByteRanges(const void* begin, uint64_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  if (bytes > 0) {
    ranges_.push_back({address, address + bytes});
  }
}

ByteRanges::ByteRanges(const Layout& layout, const void* begin) {
  const bool columns = layout.order == kOrderColumns;
  const uint64_t lines = columns ? layout.columns : layout.rows;
  const uint64_t line_length = columns ? layout.rows : layout.columns;
  const uint64_t bytes = ElementBytes(layout.type);
  for (int64_t batch = 0; batch < layout.batch_count; ++batch) {
    for (uint64_t line = 0; line < lines; ++line) {
      const uint64_t offset =
          batch * layout.batch_stride + line * layout.leading_dimension;
      const uint64_t at = reinterpret_cast<uint64_t>(begin) + offset * bytes;
      ranges_.push_back({at, at + line_length * bytes});
    }
  }
  Merge();
}

ByteRanges::ByteRanges(std::vector<ByteRange> ranges)
    : ranges_(std::move(ranges)) {
  Merge();
}

void ByteRanges::Merge() {
  std::sort(
      ranges_.begin(), ranges_.end(),
      [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (size_t i = 1; i < ranges_.size(); ++i) {
    overlaps_itself_ |= ranges_[i].begin < ranges_[kept].end;
    if (ranges_[i].begin <= ranges_[kept].end) {
      ranges_[kept].end = std::max(ranges_[kept].end, ranges_[i].end);
    } else {
      ranges_[++kept] = ranges_[i];
    }
  }
  ranges_.resize(kept + 1);
}

bool ByteRanges::Overlaps(const ByteRanges& other) const {
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->begin < b->end && b->begin < a->end) {
      return true;
    }
    a->end <= b->end ? void(++a) : void(++b);
  }
  return false;
}

}  // namespace accel::cuda_double::blas
