// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A data file whose identity is pinned at open: size, inode and time of change
// are compared at every read, so a file that is swapped, cut or rewritten
// during a run is an error and never garbage. Reads are pread, not memory maps:
// a file cut short gives a message, not a SIGBUS.
#ifndef ACCEL_RUNTIME_DATA_PINNED_FILE_H_
#define ACCEL_RUNTIME_DATA_PINNED_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Data up to this size are checked whole before step 0, all files of a field
// together; more than that when it is read.
inline constexpr uint64_t kWholeCheckLimit = uint64_t{256} << 20;

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class PinnedFile {
 public:
  static absl::StatusOr<std::unique_ptr<PinnedFile>> Open(
      Vfs& vfs, const std::string& path);

  const std::string& path() const { return file_->path(); }
  uint64_t size() const { return pinned_.size; }
  // For readers of headers and for digests, which call CheckUnchanged().
  File& file() const { return *file_; }

  // Exactly dst.size() bytes, of the file as it was at open.
  absl::Status ReadAt(uint64_t offset, absl::Span<std::byte> dst) const;

  // FailedPrecondition naming the file, what changed and, of a read, where.
  absl::Status CheckUnchanged(
      std::optional<uint64_t> offset = std::nullopt) const;

 private:
  PinnedFile(Vfs& vfs, std::unique_ptr<File> file, FileStat pinned);

  Vfs& vfs_;
  std::unique_ptr<File> file_;
  FileStat pinned_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_PINNED_FILE_H_
