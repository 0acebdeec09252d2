// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The complete reads and writes over the single operations of a File.
#include "runtime/io/vfs.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::Status File::ReadAt(uint64_t offset, absl::Span<std::byte> dst) {
  size_t done = 0;
  while (done < dst.size()) {
    ASSIGN_OR_RETURN(const size_t count,
                     PRead(offset + done, dst.subspan(done)));
    if (count == 0) {
      return absl::OutOfRangeError(absl::StrCat(
          "'", path(), "': expected ", dst.size(), " bytes at byte offset ",
          offset, ", got ", done, " before the end of the file"));
    }
    done += count;
  }
  return absl::OkStatus();
}

absl::Status File::AppendAll(absl::Span<const std::byte> src) {
  while (!src.empty()) {
    ASSIGN_OR_RETURN(const size_t count, Write(src));
    if (count == 0) {
      return absl::DataLossError(
          absl::StrCat("'", path(), "': a write took no bytes"));
    }
    src.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status File::WriteAt(uint64_t offset, absl::Span<const std::byte> src) {
  while (!src.empty()) {
    ASSIGN_OR_RETURN(const size_t count, PWrite(offset, src));
    if (count == 0) {
      return absl::DataLossError(
          absl::StrCat("'", path(), "': a write took no bytes"));
    }
    src.remove_prefix(count);
    offset += count;
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
