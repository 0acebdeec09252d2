// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that appear complete and durable or not at all, and the small reads and
// folder operations that every user of a Vfs needs.
#ifndef ACCEL_RUNTIME_IO_ATOMIC_FILE_H_
#define ACCEL_RUNTIME_IO_ATOMIC_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// A file written under a temporary name beside `path` and renamed on Commit().
// Destroyed without Commit() it leaves `path` as it was and removes the
// temporary.
//
// Borrows: the vfs.
class AtomicFile {
 public:
  static absl::StatusOr<std::unique_ptr<AtomicFile>> Create(Vfs& vfs,
                                                            std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  File& file() { return *file_; }
  // Where the bytes are until then.
  const std::string& temporary_path() const { return temporary_; }

  // Sync, close, rename, sync of the folder. After an error nothing of the new
  // content is visible under `path`, or (if only the folder's sync failed) it
  // is complete but perhaps not durable.
  absl::Status Commit();

 private:
  AtomicFile(Vfs& vfs, std::string path, std::string temporary,
             std::unique_ptr<File> file);

  Vfs& vfs_;
  std::string path_;
  std::string temporary_;
  std::unique_ptr<File> file_;
  bool committed_ = false;
};

absl::Status WriteFileAtomically(Vfs& vfs, const std::string& path,
                                 absl::string_view content);

// The whole file, refused if longer than `limit` bytes. Reads until the end, so
// it also serves files that have no size (under /proc).
absl::StatusOr<std::string> ReadWholeFile(Vfs& vfs, const std::string& path,
                                          uint64_t limit);

// `path` and every missing folder above it; an existing folder is fine.
absl::Status MakeDirectories(Vfs& vfs, const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_ATOMIC_FILE_H_
