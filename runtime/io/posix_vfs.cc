// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vfs of a real machine: folders, names and locks.
#include "runtime/io/posix_vfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/posix_file.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

absl::Status Failure(absl::string_view verb, const std::string& path) {
  return ErrnoError(errno, absl::StrCat("cannot ", verb, " '", path, "'"));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// The lock belongs to the open descriptor: it works between threads of one
// process as well, and a dead process holds nothing.
class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;
};

std::string OwnLockText() {
  struct utsname system;
  const bool known = ::uname(&system) == 0;
  return absl::StrCat("process ", ::getpid(), " on host '",
                      known ? system.nodename : "unknown", "'");
}

// What the holder wrote about itself; anything may stand there.
std::string HolderText(int fd) {
  std::array<char, 200> buffer;
  const ssize_t size = ::pread(fd, buffer.data(), buffer.size(), 0);
  if (size <= 0) {
    return "another process";
  }
  const absl::string_view text(buffer.data(), static_cast<size_t>(size));
  return Printable(absl::StripAsciiWhitespace(text));
}

class PosixVfs final : public Vfs {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path,
                                             OpenMode mode) override {
    return OpenPosixFile(path, mode);
  }

  absl::StatusOr<std::unique_ptr<File>> OpenStream(
      const std::string& path) override {
    return OpenPosixStream(path);
  }

  absl::Status CheckWritable(const std::string& path) override {
    // With the rights that opening it will have, not those of who started us.
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) {
      return absl::OkStatus();
    }
    return Failure("write to", path);
  }

  absl::StatusOr<std::string> ReadLink(const std::string& path) override {
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size < 0) {
      return Failure("read link", path);
    }
    return std::string(target.data(), static_cast<size_t>(size));
  }

  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) {
      return absl::OkStatus();
    }
    return Failure("rename", absl::StrCat(from, "' to '", to));
  }

  absl::Status Remove(const std::string& path) override {
    if (::remove(path.c_str()) == 0) {
      return absl::OkStatus();
    }
    return Failure("remove", path);
  }

  absl::Status SyncDirectory(const std::string& directory) override {
    const Descriptor fd(
        ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) {
      return Failure("open directory", directory);
    }
    if (::fsync(fd.get()) == 0) {
      return absl::OkStatus();
    }
    // Some file systems have nothing to sync in a directory and say so.
    if (errno == EINVAL || errno == ENOTSUP) {
      return absl::OkStatus();
    }
    return Failure("sync directory", directory);
  }

  absl::StatusOr<FileStat> Stat(const std::string& path) override {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      return Failure("stat", path);
    }
    return ToFileStat(status);
  }

  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) override {
    struct statvfs status;
    if (::statvfs(path.c_str(), &status) != 0) {
      return Failure("find the free space of", path);
    }
    return status.f_blocks == 0
               ? UINT64_MAX
               : uint64_t{status.f_bavail} * uint64_t{status.f_frsize};
  }

  absl::Status MakeDirectory(const std::string& path) override {
    if (::mkdir(path.c_str(), 0777) == 0) {
      return absl::OkStatus();
    }
    return Failure("make directory", path);
  }

  absl::StatusOr<std::vector<std::string>> List(
      const std::string& directory) override;
  absl::StatusOr<std::unique_ptr<FileLock>> TryLock(
      const std::string& path) override;
};

absl::StatusOr<std::vector<std::string>> PosixVfs::List(
    const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()),
                                                   ::closedir);
  if (stream == nullptr) {
    return Failure("list directory", directory);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const struct dirent* entry = ::readdir(stream.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
    errno = 0;
  }
  if (errno != 0) {
    return Failure("list directory", directory);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::unique_ptr<FileLock>> PosixVfs::TryLock(
    const std::string& path) {
  Descriptor fd(::open(path.c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                       0666));
  if (fd.get() < 0) {
    return Failure("open lock", path);
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return Failure("lock", path);
    }
    return absl::FailedPreconditionError(
        absl::StrCat("'", path, "' is locked by ", HolderText(fd.get())));
  }
  const std::string text = absl::StrCat(OwnLockText(), "\n");
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), text.data(), text.size(), 0) !=
          static_cast<ssize_t>(text.size())) {
    return Failure("write lock", path);
  }
  return std::make_unique<PosixFileLock>(std::move(fd));
}

}  // namespace

std::unique_ptr<Vfs> MakePosixVfs() { return std::make_unique<PosixVfs>(); }

}  // namespace accel::runtime
