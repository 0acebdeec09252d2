// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam to storage: every persistent byte of the runtime goes through a Vfs,
// so that tests can count, fail and cut any operation.
#ifndef ACCEL_RUNTIME_IO_VFS_H_
#define ACCEL_RUNTIME_IO_VFS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace accel::runtime {

struct FileStat {
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  uint64_t inode = 0;
  uint64_t device = 0;
  bool is_regular = false;
  bool is_directory = false;
  bool is_character_device = false;

  friend bool operator==(const FileStat&, const FileStat&) = default;
};

enum class OpenMode {
  kRead,           // must exist
  kTruncate,       // write; created or emptied
  kCreateNew,      // write; must not exist
  kCreatePrivate,  // the same, of mode 0600
  kAppend,         // write at the end; created if absent
};

// One open regular file, or what OpenStream gives. The virtual functions are
// single operations and may transfer less than asked; ReadAt, AppendAll and
// WriteAt are the complete ones.
//
// Threads: PRead, PWrite and Stat may be called from several threads at once;
// the others by one thread at a time.
class File {
 public:
  virtual ~File() = default;

  virtual const std::string& path() const = 0;

  // 0 at the end of the file.
  virtual absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) = 0;
  virtual absl::StatusOr<size_t> PRead(uint64_t offset,
                                       absl::Span<std::byte> dst) = 0;
  virtual absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) = 0;
  virtual absl::StatusOr<size_t> PWrite(uint64_t offset,
                                        absl::Span<const std::byte> src) = 0;
  virtual absl::Status Truncate(uint64_t size) = 0;
  // To stable storage.
  virtual absl::Status Sync() = 0;
  virtual absl::StatusOr<FileStat> Stat() = 0;
  // Mode, group and owner as those of the file at `path`, as far as this
  // process may give files away. No group gets rights that it had not there.
  virtual absl::Status TakePermissionsOf(const std::string& path) = 0;
  // Reports what a late write could not. The destructor closes silently.
  virtual absl::Status Close() = 0;

  // Exactly dst.size() bytes, or OutOfRange naming file, offset, expected, got.
  absl::Status ReadAt(uint64_t offset, absl::Span<std::byte> dst);
  absl::Status AppendAll(absl::Span<const std::byte> src);
  absl::Status WriteAt(uint64_t offset, absl::Span<const std::byte> src);
};

// Held until destroyed; the kernel releases it if the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// Threads: everything may be called from any thread.
class Vfs {
 public:
  virtual ~Vfs() = default;

  // Only regular files are opened, and never waits (a FIFO is refused).
  virtual absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path,
                                                     OpenMode mode) = 0;
  // For writing to the end of what is neither a regular file nor a folder: a
  // device, or a FIFO, whose reader is waited for. A name of an open descriptor
  // (DescriptorOfPath) gives that one, whatever it is.
  virtual absl::StatusOr<std::unique_ptr<File>> OpenStream(
      const std::string& path) = 0;
  // Whether this process may write there; of a folder: make and rename files.
  virtual absl::Status CheckWritable(const std::string& path) = 0;
  // What a symbolic link says. InvalidArgument if it is no link.
  virtual absl::StatusOr<std::string> ReadLink(const std::string& path) = 0;
  // Atomic; replaces `to`.
  virtual absl::Status Rename(const std::string& from,
                              const std::string& to) = 0;
  // A file, or an empty folder.
  virtual absl::Status Remove(const std::string& path) = 0;
  // Makes creations, renames and removals in `directory` durable.
  virtual absl::Status SyncDirectory(const std::string& directory) = 0;
  // NotFound if there is nothing.
  virtual absl::StatusOr<FileStat> Stat(const std::string& path) = 0;
  // What this process may still write to the file system of `path`; the largest
  // number if that does not say.
  virtual absl::StatusOr<uint64_t> FreeBytes(const std::string& path) = 0;
  // One level; AlreadyExists if there is anything of that name.
  virtual absl::Status MakeDirectory(const std::string& path) = 0;
  // Names (no paths) in byte order, without "." and "..".
  virtual absl::StatusOr<std::vector<std::string>> List(
      const std::string& directory) = 0;
  // Takes an exclusive lock without waiting; creates the file if absent.
  // FailedPrecondition: "'<path>' is locked by process 123 on host 'a'".
  virtual absl::StatusOr<std::unique_ptr<FileLock>> TryLock(
      const std::string& path) = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_VFS_H_
