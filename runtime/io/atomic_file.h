// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every output of every program goes: files that appear complete and
// durable or not at all, and the small reads and folder operations that every
// user of a Vfs needs.
#ifndef ACCEL_RUNTIME_IO_ATOMIC_FILE_H_
#define ACCEL_RUNTIME_IO_ATOMIC_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "runtime/io/output_target.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// A file written under a temporary name beside `path` and renamed on Commit().
// It gets mode, group and owner of the file that was there, or the umask's
// mode; where `path` is a link, the link stays and its target is replaced.
// Destroyed without Commit() it leaves `path` as it was and removes the
// temporary.
//
// What is no file (ResolveOutput) is opened, and gets the bytes on Commit(),
// front to back, in whatever order they were written; till then they are in a
// file without a name in $TMPDIR or /tmp.
//
// Borrows: the vfs.
class AtomicFile {
 public:
  // `announce` is told the temporary's name before it is created, so that no
  // signal comes between the file and whoever has to remove it; again with
  // another name if that one is taken.
  using Announce = std::function<void(const std::string& temporary)>;
  static absl::StatusOr<std::unique_ptr<AtomicFile>> Create(
      Vfs& vfs, std::string path, Announce announce = nullptr);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  File& file() { return *file_; }
  // Where the bytes are until then; empty if they have no name.
  const std::string& temporary_path() const { return temporary_; }

  // Sync, close, rename, sync of the folder; or the copy. After an error
  // nothing of the new content is visible under `path`, or (if only the
  // folder's sync failed) it is complete but perhaps not durable.
  absl::Status Commit();

 private:
  AtomicFile(Vfs& vfs, std::string path, Announce announce)
      : vfs_(vfs), path_(std::move(path)), announce_(std::move(announce)) {}

  // Opens a new file `folder`/`stem`-N.
  absl::Status OpenTemporary(const std::string& folder, const std::string& stem,
                             OpenMode mode);
  absl::Status OpenToReplace(const OutputTarget& target);
  absl::Status OpenToCopy();
  absl::Status CommitCopy();

  Vfs& vfs_;
  std::string path_;
  Announce announce_;
  std::string temporary_;
  std::unique_ptr<File> file_;
  std::unique_ptr<File> stream_;  // null: the file is renamed
  bool committed_ = false;
};

// Whether the file system on which an AtomicFile for `path` gets its bytes has
// room for so many. What the file replaces is there until then.
absl::Status CheckRoom(Vfs& vfs, const std::string& path, uint64_t bytes);

absl::Status WriteFileAtomically(Vfs& vfs, const std::string& path,
                                 absl::string_view content);

// The whole file, refused if longer than `limit` bytes. Reads until the end, so
// it also serves files that have no size (under /proc).
absl::StatusOr<std::string> ReadWholeFile(Vfs& vfs, const std::string& path,
                                          uint64_t limit);

// `path` and every missing folder above it, durable; an existing folder is
// fine.
absl::Status MakeDirectories(Vfs& vfs, const std::string& path);
// `path`, or the first folder or file above it that is there.
std::string NearestThere(Vfs& vfs, const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_ATOMIC_FILE_H_
