// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File over a POSIX descriptor. Calls that a signal interrupts are repeated.
#include "runtime/io/posix_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

template <typename Call>
auto RetryInterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

class PosixFile final : public File {
 public:
  PosixFile(std::string path, int fd, bool append)
      : path_(std::move(path)), fd_(fd), append_(append) {}
  ~PosixFile() override {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  const std::string& path() const override { return path_; }

  absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) override {
    return Count("read", RetryInterrupted([&] {
                   return ::read(fd_, dst.data(), dst.size());
                 }));
  }

  absl::StatusOr<size_t> PRead(uint64_t offset,
                               absl::Span<std::byte> dst) override {
    return CountAt("read", offset, RetryInterrupted([&] {
                     return ::pread(fd_, dst.data(), dst.size(),
                                    static_cast<off_t>(offset));
                   }));
  }

  absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) override {
    return Count("write", RetryInterrupted([&] {
                   return ::write(fd_, src.data(), src.size());
                 }));
  }

  absl::StatusOr<size_t> PWrite(uint64_t offset,
                                absl::Span<const std::byte> src) override {
    if (append_) {
      // Linux would append and ignore the offset.
      return absl::FailedPreconditionError(absl::StrCat(
          "'", path_, "' is open for appending; cannot write at an offset"));
    }
    return CountAt("write", offset, RetryInterrupted([&] {
                     return ::pwrite(fd_, src.data(), src.size(),
                                     static_cast<off_t>(offset));
                   }));
  }

  absl::Status Truncate(uint64_t size) override {
    return Check("truncate", RetryInterrupted([&] {
                   return ::ftruncate(fd_, static_cast<off_t>(size));
                 }));
  }

  absl::Status Sync() override {
    return Check("sync", RetryInterrupted([&] { return ::fsync(fd_); }));
  }

  absl::StatusOr<FileStat> Stat() override {
    struct stat status;
    RETURN_IF_ERROR(Check("stat", ::fstat(fd_, &status)));
    return ToFileStat(status);
  }

  absl::Status TakePermissionsOf(const std::string& path) override {
    struct stat wanted;
    struct stat own;
    if (::stat(path.c_str(), &wanted) != 0) {
      return ErrnoError(errno, absl::StrCat("cannot stat '", path, "'"));
    }
    // Only root may give a file to anybody; others to a group of theirs.
    if (::fchown(fd_, wanted.st_uid, wanted.st_gid) != 0) {
      static_cast<void>(::fchown(fd_, static_cast<uid_t>(-1), wanted.st_gid));
    }
    RETURN_IF_ERROR(Check("stat", ::fstat(fd_, &own)));
    mode_t mode = wanted.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (own.st_gid != wanted.st_gid) {
      // This group gets what everybody has.
      mode &= ~static_cast<mode_t>(S_IRWXG) | (mode & S_IRWXO) << 3;
    }
    return Check("set the mode of", ::fchmod(fd_, mode));
  }

  absl::Status Close() override {
    // Not repeated: Linux has released the descriptor even when interrupted.
    return Check("close", ::close(std::exchange(fd_, -1)));
  }

 private:
  absl::Status Check(absl::string_view verb, int result) const {
    if (result == 0) {
      return absl::OkStatus();
    }
    return ErrnoError(errno, absl::StrCat("cannot ", verb, " '", path_, "'"));
  }

  absl::StatusOr<size_t> Count(absl::string_view verb, ssize_t result) const {
    if (result >= 0) {
      return static_cast<size_t>(result);
    }
    return ErrnoError(errno, absl::StrCat("cannot ", verb, " '", path_, "'"));
  }

  absl::StatusOr<size_t> CountAt(absl::string_view verb, uint64_t offset,
                                 ssize_t result) const {
    if (result >= 0) {
      return static_cast<size_t>(result);
    }
    return ErrnoError(errno, absl::StrCat("cannot ", verb, " '", path_,
                                          "' at byte ", offset));
  }

  std::string path_;
  int fd_;
  bool append_;
};

// O_NONBLOCK, so that opening a FIFO returns and can be refused.
int FlagsOf(OpenMode mode) {
  constexpr int kCommon = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  switch (mode) {
    case OpenMode::kRead:
      return kCommon | O_RDONLY;
    case OpenMode::kTruncate:
      return kCommon | O_RDWR | O_CREAT;
    case OpenMode::kCreateNew:
    case OpenMode::kCreatePrivate:
      return kCommon | O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::kAppend:
      return kCommon | O_RDWR | O_CREAT | O_APPEND;
  }
  return kCommon | O_RDONLY;
}

mode_t PermissionsOf(OpenMode mode) {
  return mode == OpenMode::kCreatePrivate ? 0600 : 0666;
}

// Data may come in more files than a process may have open by default. What it
// may have at most is the administrator's to say: up to that.
bool RaiseOpenFileLimit() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_cur == limit.rlim_max) {
    return false;
  }
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int OpenDescriptor(const std::string& path, OpenMode mode) {
  return RetryInterrupted(
      [&] { return ::open(path.c_str(), FlagsOf(mode), PermissionsOf(mode)); });
}

}  // namespace

FileStat ToFileStat(const struct stat& status) {
  FileStat result;
  result.size = static_cast<uint64_t>(status.st_size);
  result.mtime_ns =
      int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  result.inode = status.st_ino;
  result.device = status.st_dev;
  result.is_regular = S_ISREG(status.st_mode);
  result.is_directory = S_ISDIR(status.st_mode);
  result.is_character_device = S_ISCHR(status.st_mode);
  return result;
}

absl::StatusOr<std::unique_ptr<File>> OpenPosixFile(const std::string& path,
                                                    OpenMode mode) {
  int fd = OpenDescriptor(path, mode);
  if (fd < 0 && errno == EMFILE && RaiseOpenFileLimit()) {
    fd = OpenDescriptor(path, mode);
  }
  if (fd < 0) {
    return ErrnoError(errno, absl::StrCat("cannot open '", path, "'"));
  }
  auto file = std::make_unique<PosixFile>(path, fd, mode == OpenMode::kAppend);
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  if (!stat.is_regular) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path, "': expected a regular file, got ",
        stat.is_directory ? "a directory" : "a device, pipe or socket"));
  }
  // After the check and not by O_TRUNC, so that only files are emptied.
  if (mode == OpenMode::kTruncate) {
    RETURN_IF_ERROR(file->Truncate(0));
  }
  return file;
}

absl::StatusOr<std::unique_ptr<File>> OpenPosixStream(const std::string& path) {
  const std::optional<int> descriptor = DescriptorOfPath(path);
  const int fd = RetryInterrupted([&] {
    // A copy, and not the file opened anew: that would begin at its start.
    return descriptor ? ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 3)
                      : ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  });
  if (fd < 0) {
    return ErrnoError(errno, absl::StrCat("cannot open '", path, "'"));
  }
  auto file = std::make_unique<PosixFile>(path, fd, /*append=*/true);
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  if (stat.is_regular && !descriptor) {
    return absl::FailedPreconditionError(absl::StrCat(
        "'", path, "': expected a device or pipe, got a regular file"));
  }
  return file;
}

}  // namespace accel::runtime
