// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads that notice when the file is no longer the one that was opened.
#include "runtime/data/pinned_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// What a person needs to know of the difference; empty if there is none.
std::string Difference(const FileStat& was, const FileStat& is) {
  if (was.inode != is.inode || was.device != is.device) {
    return "it was replaced by another file";
  }
  if (was.size != is.size) {
    return absl::StrCat("it had ", was.size, " bytes and has ", is.size);
  }
  if (was.mtime_ns != is.mtime_ns) {
    return "it was written to";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<PinnedFile>> PinnedFile::Open(
    Vfs& vfs, const std::string& path) {
  auto file = vfs.Open(path, OpenMode::kRead);
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(
        absl::StrCat("'", path,
                     "': expected a file of training data, got no such file; "
                     "check the path"));
  }
  RETURN_IF_ERROR(file.status());
  ASSIGN_OR_RETURN(const FileStat stat, (*file)->Stat());
  return std::unique_ptr<PinnedFile>(
      new PinnedFile(vfs, *std::move(file), stat));
}

PinnedFile::PinnedFile(Vfs& vfs, std::unique_ptr<File> file, FileStat pinned)
    : vfs_(vfs), file_(std::move(file)), pinned_(pinned) {}

absl::Status PinnedFile::ReadAt(uint64_t offset,
                                absl::Span<std::byte> dst) const {
  absl::Status read = file_->ReadAt(offset, dst);
  // After the read, so that a change before or during it is seen; it goes
  // before the read's own error, as it explains it.
  RETURN_IF_ERROR(CheckUnchanged(offset));
  return read;
}

absl::Status PinnedFile::CheckUnchanged(std::optional<uint64_t> offset) const {
  // By name as well as by descriptor: a file replaced by rename leaves the
  // descriptor's own as it was.
  ASSIGN_OR_RETURN(const FileStat open, file_->Stat());
  std::string difference = Difference(pinned_, open);
  if (difference.empty()) {
    const auto named = vfs_.Stat(path());
    if (absl::IsNotFound(named.status())) {
      difference = "it was removed";
    } else if (!named.ok()) {
      return named.status();
    } else {
      difference = Difference(pinned_, *named);
    }
  }
  if (difference.empty()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "'", path(), "' changed during the run: ", difference,
      offset ? absl::StrCat(", seen at byte offset ", *offset) : "",
      "; start again with files that stay as they are"));
}

}  // namespace accel::runtime
