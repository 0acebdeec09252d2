// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes and their bytes.
#include "runtime/device/memory_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"

namespace accel::runtime {

std::string DescribeMemory(const MemoryLayout& layout) {
  std::vector<std::string> parts;
  for (const MemoryPart& part : layout.PrivateParts()) {
    parts.push_back(absl::StrCat(part.name, " ", FormatBytes(part.bytes)));
  }
  if (layout.SharedBytes() > 0) {
    const uint64_t ranks = layout.binding().rank_count();
    parts.push_back(absl::StrCat(
        "gathered ", FormatBytes(layout.SharedBytes()),
        ranks == 1 ? "" : absl::StrCat(" for all ", ranks, " ranks")));
  }
  if (const uint64_t bytes = layout.staging().BytesOfHost(); bytes > 0) {
    parts.push_back(absl::StrCat("staging ", FormatBytes(bytes), " for all ",
                                 layout.binding().rank_count(), " ranks"));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace accel::runtime
