// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .npy file as a table of rows.
#include "runtime/data/array_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<ArrayFile>> ArrayFile::Open(
    Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<PinnedFile> file,
                   PinnedFile::Open(vfs, path));
  ASSIGN_OR_RETURN(NpyLayout layout, ReadNpyLayout(file->file()));
  if (layout.header.shape.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path,
        "': expected an array whose first axis counts samples, got "
        "a single value"));
  }
  return std::unique_ptr<ArrayFile>(
      new ArrayFile(std::move(file), std::move(layout)));
}

ArrayFile::ArrayFile(std::unique_ptr<PinnedFile> file, NpyLayout layout)
    : file_(std::move(file)), layout_(std::move(layout)), row_elements_(1) {
  for (size_t axis = 1; axis < shape().size(); ++axis) {
    row_elements_ *= shape()[axis];
  }
}

uint64_t ArrayFile::OffsetOf(int64_t row, int64_t element) const {
  return layout_.data_offset + static_cast<uint64_t>(row) * row_bytes() +
         static_cast<uint64_t>(element * ByteWidth(dtype()));
}

absl::Status ArrayFile::ReadRow(int64_t row, int64_t first,
                                absl::Span<std::byte> dst) const {
  return file_->ReadAt(OffsetOf(row, first), dst);
}

}  // namespace accel::runtime
