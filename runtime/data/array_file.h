// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .npy file as a table: the first axis counts rows, one row is one sample.
#ifndef ACCEL_RUNTIME_DATA_ARRAY_FILE_H_
#define ACCEL_RUNTIME_DATA_ARRAY_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/content_digest.h"
#include "runtime/data/pinned_file.h"
#include "runtime/io/npy.h"

namespace accel::runtime {

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class ArrayFile {
 public:
  // An array without axes has no rows and is refused.
  static absl::StatusOr<std::unique_ptr<ArrayFile>> Open(
      Vfs& vfs, const std::string& path);

  const std::string& path() const { return file_->path(); }
  DType dtype() const { return layout_.header.dtype; }
  const std::vector<int64_t>& shape() const { return layout_.header.shape; }
  int64_t rows() const { return shape()[0]; }
  int64_t row_elements() const { return row_elements_; }
  uint64_t row_bytes() const { return row_elements_ * ByteWidth(dtype()); }
  uint64_t data_size() const { return layout_.data_size; }
  // Where element `element` of row `row` lies in the file.
  uint64_t OffsetOf(int64_t row, int64_t element) const;

  // Elements [first, ...) of one row, as many as dst holds, as they are stored.
  // Requires: 0 <= row < rows(); the elements lie inside the row.
  absl::Status ReadRow(int64_t row, int64_t first,
                       absl::Span<std::byte> dst) const;

  FileContent content() const { return {file_.get(), layout_.data_offset}; }

 private:
  ArrayFile(std::unique_ptr<PinnedFile> file, NpyLayout layout);

  std::unique_ptr<PinnedFile> file_;
  NpyLayout layout_;
  int64_t row_elements_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_ARRAY_FILE_H_
