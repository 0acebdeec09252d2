// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts lie one behind the other.
#include "runtime/checkpoint/state_copy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::Status StateCopy::Take(const std::vector<StatePart>& parts,
                             const StateReader& read) {
  offsets_.clear();
  uint64_t offset = 0;
  for (const StatePart& part : parts) {
    const uint64_t bytes = (part.end - part.begin) * part.tensor->slot.width;
    if (bytes > bytes_.size() - offset) {
      return absl::InternalError(absl::StrCat(
          "the copy of the state has room for ", bytes_.size(), " bytes, and '",
          part.tensor->name, "' takes it beyond them"));
    }
    RETURN_IF_ERROR(
        read(part, part.begin, absl::MakeSpan(bytes_).subspan(offset, bytes)));
    offsets_[part.tensor] = offset;
    offset += bytes;
  }
  return absl::OkStatus();
}

absl::Status StateCopy::Read(const StatePart& part, uint64_t first,
                             absl::Span<std::byte> dst) const {
  const uint64_t offset =
      offsets_.at(part.tensor) + (first - part.begin) * part.tensor->slot.width;
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), dst.size(),
              dst.begin());
  return absl::OkStatus();
}

}  // namespace accel::runtime
