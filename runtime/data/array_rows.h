// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of one or several .npy files, one file after the other.
#ifndef ACCEL_RUNTIME_DATA_ARRAY_ROWS_H_
#define ACCEL_RUNTIME_DATA_ARRAY_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/array_file.h"

namespace accel::runtime {

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class ArrayRows {
 public:
  // All arrays have one type and one shape but for their first axes, or the
  // error names two that differ.
  // Requires: there is a path.
  static absl::StatusOr<std::unique_ptr<ArrayRows>> Open(
      Vfs& vfs, absl::Span<const std::string> paths);

  // "'a.npy'", "'a.npy' to 'c.npy' (3 files)".
  std::string Name() const;
  DType dtype() const { return files_[0]->dtype(); }
  // The first axis counts the rows of all files.
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rows() const { return shape_[0]; }
  int64_t row_elements() const { return files_[0]->row_elements(); }
  uint64_t data_size() const {
    return static_cast<uint64_t>(rows()) * files_[0]->row_bytes();
  }

  struct Place {
    const ArrayFile& file;
    int64_t row;  // of that file
  };
  // Requires: 0 <= row < rows().
  Place Find(int64_t row) const;

  absl::StatusOr<Sha256Digest> Digest() const;

 private:
  explicit ArrayRows(std::vector<std::unique_ptr<ArrayFile>> files);

  std::vector<std::unique_ptr<ArrayFile>> files_;
  std::vector<int64_t> starts_;  // of each file, and the end
  std::vector<int64_t> shape_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_ARRAY_ROWS_H_
