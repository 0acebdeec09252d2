// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memfd_create, seals and mmap.
#include "runtime/io/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

absl::StatusOr<FileDescriptor> FileDescriptor::Duplicate() const {
  const int copy = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    return ErrnoError(errno, "cannot duplicate a descriptor");
  }
  return FileDescriptor(copy);
}

absl::StatusOr<FileDescriptor> CreateSharedMemory(absl::string_view name,
                                                  uint64_t bytes) {
  FileDescriptor memory(
      memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) {
    return ErrnoError(errno, "cannot create shared memory");
  }
  RETURN_IF_ERROR(GrowSharedMemory(memory, bytes));
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    return ErrnoError(errno, "cannot seal shared memory");
  }
  return memory;
}

absl::StatusOr<uint64_t> SharedMemorySize(const FileDescriptor& memory) {
  const int seals = fcntl(memory.get(), F_GET_SEALS);
  struct stat status;
  if (seals < 0 || fstat(memory.get(), &status) != 0) {
    return ErrnoError(errno, absl::StrCat("descriptor ", memory.get(),
                                          " is no shared memory"));
  }
  if ((seals & F_SEAL_SHRINK) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shared memory of descriptor ", memory.get(),
                     " is not sealed against shrinking"));
  }
  return static_cast<uint64_t>(status.st_size);
}

absl::Status GrowSharedMemory(const FileDescriptor& memory, uint64_t bytes) {
  if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
    return ErrnoError(errno, absl::StrCat("cannot make shared memory ",
                                          FormatBytes(bytes), " large"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SharedMapping> SharedMapping::FromResult(void* address,
                                                        uint64_t bytes) {
  if (address == MAP_FAILED) {
    return ErrnoError(errno, absl::StrCat("cannot map ", FormatBytes(bytes),
                                          " of shared memory"));
  }
  return SharedMapping(absl::MakeSpan(static_cast<std::byte*>(address), bytes));
}

absl::StatusOr<SharedMapping> SharedMapping::Map(const FileDescriptor& memory,
                                                 uint64_t offset,
                                                 uint64_t bytes) {
  if (bytes == 0) {
    return SharedMapping();
  }
  return FromResult(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                         memory.get(), static_cast<off_t>(offset)),
                    bytes);
}

absl::StatusOr<SharedMapping> SharedMapping::Anonymous(uint64_t bytes) {
  if (bytes == 0) {
    return SharedMapping();
  }
  return FromResult(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                    bytes);
}

SharedMapping::~SharedMapping() {
  if (!bytes_.empty()) {
    munmap(bytes_.data(), bytes_.size());
  }
}

}  // namespace accel::runtime
