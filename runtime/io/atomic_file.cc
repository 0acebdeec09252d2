// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commit = temporary beside the target, sync, rename, sync of the folder; or a
// copy of a temporary without a name.
#include "runtime/io/atomic_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

// Of files without a name.
std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(
    Vfs& vfs, std::string path, Announce announce) {
  const auto target = ResolveOutput(vfs, path);
  absl::Status opened = target.status();
  std::unique_ptr<AtomicFile> file;
  if (target.ok()) {
    file.reset(new AtomicFile(vfs, target->path, std::move(announce)));
    opened =
        target->replaced ? file->OpenToReplace(*target) : file->OpenToCopy();
  }
  if (!opened.ok()) {
    return Annotate(opened, absl::StrCat("cannot write '", path, "'"));
  }
  return file;
}

absl::Status AtomicFile::OpenTemporary(const std::string& folder,
                                       const std::string& stem, OpenMode mode) {
  // The process id keeps writers apart, the number leftovers of a dead process
  // that had the same id.
  constexpr int kAttempts = 100;
  absl::Status failure;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string temporary =
        JoinPath(folder, absl::StrCat(stem, ".tmp-", ::getpid(), "-", attempt));
    if (announce_) {
      announce_(temporary);
    }
    auto file = vfs_.Open(temporary, mode);
    if (file.ok()) {
      temporary_ = std::move(temporary);
      file_ = *std::move(file);
      return absl::OkStatus();
    }
    failure = file.status();
    if (!absl::IsAlreadyExists(failure)) {
      break;
    }
  }
  return failure;
}

absl::Status AtomicFile::OpenToReplace(const OutputTarget& target) {
  // What is to have few readers has them from the first byte on.
  RETURN_IF_ERROR(OpenTemporary(
      ParentDirectory(path_), absl::StrCat(".", FileName(path_)),
      target.existing ? OpenMode::kCreatePrivate : OpenMode::kCreateNew));
  return target.existing ? file_->TakePermissionsOf(path_) : absl::OkStatus();
}

absl::Status AtomicFile::OpenToCopy() {
  RETURN_IF_ERROR(OpenTemporary(TemporaryFolder(), ".accel-output",
                                OpenMode::kCreatePrivate));
  // From now on it is gone with the process.
  RETURN_IF_ERROR(vfs_.Remove(temporary_));
  temporary_.clear();
  ASSIGN_OR_RETURN(stream_, vfs_.OpenStream(path_));
  return absl::OkStatus();
}

AtomicFile::~AtomicFile() {
  // A leftover does no harm; the error that led here is the one to report.
  if (!committed_ && !temporary_.empty()) {
    vfs_.Remove(temporary_).IgnoreError();
  }
}

absl::Status AtomicFile::Commit() {
  if (stream_ != nullptr) {
    return CommitCopy();
  }
  RETURN_IF_ERROR(file_->Sync());
  RETURN_IF_ERROR(file_->Close());
  RETURN_IF_ERROR(vfs_.Rename(temporary_, path_));
  committed_ = true;
  return vfs_.SyncDirectory(ParentDirectory(path_));
}

absl::Status AtomicFile::CommitCopy() {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  ASSIGN_OR_RETURN(const FileStat stat, file_->Stat());
  std::vector<std::byte> buffer(std::min(kPiece, stat.size));
  for (uint64_t offset = 0; offset < stat.size; offset += buffer.size()) {
    const auto piece = absl::MakeSpan(buffer).first(
        std::min<uint64_t>(buffer.size(), stat.size - offset));
    RETURN_IF_ERROR(file_->ReadAt(offset, piece));
    RETURN_IF_ERROR(stream_->AppendAll(piece));
  }
  return stream_->Close();
}

absl::Status CheckRoom(Vfs& vfs, const std::string& path, uint64_t bytes) {
  ASSIGN_OR_RETURN(const OutputTarget target, ResolveOutput(vfs, path));
  const std::string folder =
      target.replaced ? ParentDirectory(target.path) : TemporaryFolder();
  ASSIGN_OR_RETURN(const uint64_t room, vfs.FreeBytes(folder));
  if (room >= bytes) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "expected room for ", FormatBytes(bytes), " in '", Printable(folder),
      "', got ", FormatBytes(room),
      target.replaced ? "; make room there, or choose another place"
                      : "; make room there, or set TMPDIR to another folder"));
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

std::string NearestThere(Vfs& vfs, const std::string& path) {
  const std::string parent = ParentDirectory(path);
  return parent == path || vfs.Stat(path).ok() ? path
                                               : NearestThere(vfs, parent);
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
  if (absl::IsAlreadyExists(made)) {
    return absl::OkStatus();  // another process was faster; that is as good
  }
  RETURN_IF_ERROR(made);
  return vfs.SyncDirectory(parent);
}

}  // namespace accel::runtime
