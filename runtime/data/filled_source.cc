// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ones and positions.
#include "runtime/data/filled_source.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "runtime/data/integer_element.h"

namespace accel::runtime {

FilledSource::FilledSource(SignatureField field, SignatureField::Fill fill)
    : field_(std::move(field)), fill_(fill) {}

std::string FilledSource::Describe(SignatureField::Fill fill) {
  return fill == SignatureField::Fill::kOnes ? "ones" : "positions";
}

absl::Status FilledSource::Fill(int64_t, absl::Span<std::byte> dst) const {
  const int64_t width = ByteWidth(field_.dtype);
  const int64_t axis = field_.shape.size() < 2 ? 1 : field_.shape.back();
  const bool counts = fill_ == SignatureField::Fill::kPositions;
  // From 0, if that is a position.
  const int64_t first =
      field_.has_range()
          ? std::clamp<int64_t>(0, field_.min_value, field_.max_value)
          : 0;
  const int64_t last =
      field_.has_range() ? field_.max_value : ValuesOf(field_.dtype).max;
  // The difference of two int64 fits uint64.
  const uint64_t span = std::min<uint64_t>(
      static_cast<uint64_t>(last) - static_cast<uint64_t>(first), INT32_MAX);
  for (int64_t e = 0; e < field_.sample_elements(); ++e) {
    const uint64_t position = static_cast<uint64_t>(e % axis) % (span + 1);
    StoreInteger(field_.dtype,
                 counts ? first + static_cast<int64_t>(position) : 1,
                 dst.data() + e * width);
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
