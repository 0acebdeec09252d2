// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays one after the other, along their first axes.
#include "runtime/data/array_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/file_list.h"

namespace accel::runtime {
namespace {

bool SameRows(const ArrayFile& a, const ArrayFile& b) {
  return a.dtype() == b.dtype() && a.shape().size() == b.shape().size() &&
         std::equal(a.shape().begin() + 1, a.shape().end(),
                    b.shape().begin() + 1);
}

std::string TypeText(const ArrayFile& file) {
  return absl::StrCat(FormatShape(file.shape()), " of ",
                      DTypeName(file.dtype()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ArrayRows>> ArrayRows::Open(
    Vfs& vfs, absl::Span<const std::string> paths) {
  std::vector<std::unique_ptr<ArrayFile>> files;
  int64_t rows = 0;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto file, ArrayFile::Open(vfs, path));
    if (!files.empty() && !SameRows(*files[0], *file)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", files[0]->path(), "' and '", path,
          "': expected arrays of one type and one shape but for the first "
          "axis, got ",
          TypeText(*files[0]), " and ", TypeText(*file),
          "; save the arrays of a field alike"));
    }
    // Rows without elements take no room, so a small file may claim any number.
    if (__builtin_add_overflow(rows, file->rows(), &rows)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path, "': expected at most ", INT64_MAX,
          " rows in all files of a field, got more; save fewer rows"));
    }
    files.push_back(std::move(file));
  }
  return std::unique_ptr<ArrayRows>(new ArrayRows(std::move(files)));
}

ArrayRows::ArrayRows(std::vector<std::unique_ptr<ArrayFile>> files)
    : files_(std::move(files)), starts_{0}, shape_(files_[0]->shape()) {
  for (const auto& file : files_) {
    starts_.push_back(starts_.back() + file->rows());
  }
  shape_[0] = starts_.back();
}

std::string ArrayRows::Name() const {
  return FileListName(files_.front()->path(), files_.back()->path(),
                      files_.size());
}

ArrayRows::Place ArrayRows::Find(int64_t row) const {
  // Files without rows begin where the next one does: the last one counts.
  const size_t index = static_cast<size_t>(
      std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin() -
      1);
  return {*files_[index], row - starts_[index]};
}

absl::StatusOr<Sha256Digest> ArrayRows::Digest() const {
  std::vector<FileContent> parts;
  parts.reserve(files_.size());
  for (const auto& file : files_) {
    parts.push_back(file->content());
  }
  return ContentDigest(parts);
}

}  // namespace accel::runtime
