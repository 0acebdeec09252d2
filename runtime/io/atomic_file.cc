// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commit = temporary beside the target, sync, rename, sync of the folder.
#include "runtime/io/atomic_file.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(
    Vfs& vfs, std::string path) {
  // The process id keeps writers apart, the number leftovers of a dead process
  // that had the same id.
  constexpr int kAttempts = 100;
  absl::Status failure;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string temporary = JoinPath(
        ParentDirectory(path),
        absl::StrCat(".", FileName(path), ".tmp-", ::getpid(), "-", attempt));
    auto file = vfs.Open(temporary, OpenMode::kCreateNew);
    if (file.ok()) {
      return std::unique_ptr<AtomicFile>(new AtomicFile(
          vfs, std::move(path), std::move(temporary), *std::move(file)));
    }
    failure = file.status();
    if (!absl::IsAlreadyExists(failure)) {
      break;
    }
  }
  return Annotate(failure, absl::StrCat("cannot write '", path, "'"));
}

AtomicFile::AtomicFile(Vfs& vfs, std::string path, std::string temporary,
                       std::unique_ptr<File> file)
    : vfs_(vfs),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      file_(std::move(file)) {}

AtomicFile::~AtomicFile() {
  // A leftover does no harm; the error that led here is the one to report.
  if (!committed_) {
    vfs_.Remove(temporary_).IgnoreError();
  }
}

absl::Status AtomicFile::Commit() {
  RETURN_IF_ERROR(file_->Sync());
  RETURN_IF_ERROR(file_->Close());
  RETURN_IF_ERROR(vfs_.Rename(temporary_, path_));
  committed_ = true;
  return vfs_.SyncDirectory(ParentDirectory(path_));
}

absl::Status WriteFileAtomically(Vfs& vfs, const std::string& path,
                                 absl::string_view content) {
  ASSIGN_OR_RETURN(const std::unique_ptr<AtomicFile> file,
                   AtomicFile::Create(vfs, path));
  RETURN_IF_ERROR(file->file().AppendAll(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(content.data()), content.size())));
  return file->Commit();
}

absl::StatusOr<std::string> ReadWholeFile(Vfs& vfs, const std::string& path,
                                          uint64_t limit) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                   vfs.Open(path, OpenMode::kRead));
  constexpr size_t kPiece = size_t{64} << 10;
  std::string content;
  while (true) {
    const size_t done = content.size();
    content.resize(done + kPiece);
    ASSIGN_OR_RETURN(
        const size_t count,
        file->Read(absl::MakeSpan(
            reinterpret_cast<std::byte*>(content.data()) + done, kPiece)));
    content.resize(done + count);
    if (count == 0) {
      return content;
    }
    if (content.size() > limit) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "'", path, "': expected at most ", limit, " bytes, got more"));
    }
  }
}

absl::Status MakeDirectories(Vfs& vfs, const std::string& path) {
  const auto existing = vfs.Stat(path);
  if (existing.ok()) {
    if (existing->is_directory) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(
        absl::StrCat("'", path, "': expected a directory, got a file"));
  }
  if (!absl::IsNotFound(existing.status())) {
    return existing.status();
  }
  const std::string parent = ParentDirectory(path);
  if (parent != path) {
    RETURN_IF_ERROR(MakeDirectories(vfs, parent));
  }
  const absl::Status made = vfs.MakeDirectory(path);
  // Another process may have been faster; that is as good.
  return absl::IsAlreadyExists(made) ? absl::OkStatus() : made;
}

}  // namespace accel::runtime
