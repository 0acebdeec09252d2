// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes share: a memfd, which has no name anywhere, so that it
// is gone with the last process that holds it.
#ifndef ACCEL_RUNTIME_IO_SHARED_MEMORY_H_
#define ACCEL_RUNTIME_IO_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace accel::runtime {

// Owns: the descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  absl::StatusOr<FileDescriptor> Duplicate() const;

 private:
  int fd_ = -1;
};

// A memfd of `bytes` zeros that can grow and never shrinks (it is sealed, so
// that no access to a mapping of it can fail later). `name` shows in
// /proc/PID/maps. Closed on exec.
absl::StatusOr<FileDescriptor> CreateSharedMemory(absl::string_view name,
                                                  uint64_t bytes);
// The size of what CreateSharedMemory made, also in another process; an error
// for any other descriptor.
absl::StatusOr<uint64_t> SharedMemorySize(const FileDescriptor& memory);
// Requires: no smaller than it is.
absl::Status GrowSharedMemory(const FileDescriptor& memory, uint64_t bytes);

// A mapping, readable and writable, unmapped at the end.
class SharedMapping {
 public:
  // Bytes [offset, offset + bytes) of it; the offset is a multiple of a page.
  static absl::StatusOr<SharedMapping> Map(const FileDescriptor& memory,
                                           uint64_t offset, uint64_t bytes);
  // For the threads of this process only.
  static absl::StatusOr<SharedMapping> Anonymous(uint64_t bytes);

  SharedMapping() = default;
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept
      : bytes_(std::exchange(other.bytes_, absl::Span<std::byte>())) {}
  SharedMapping& operator=(SharedMapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  absl::Span<std::byte> bytes() const { return bytes_; }

 private:
  explicit SharedMapping(absl::Span<std::byte> bytes) : bytes_(bytes) {}
  static absl::StatusOr<SharedMapping> FromResult(void* address,
                                                  uint64_t bytes);

  absl::Span<std::byte> bytes_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_SHARED_MEMORY_H_
