// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File over a POSIX descriptor; of use to the POSIX Vfs only.
#ifndef ACCEL_RUNTIME_IO_POSIX_FILE_H_
#define ACCEL_RUNTIME_IO_POSIX_FILE_H_

#include <sys/stat.h>

#include <memory>
#include <string>

#include "runtime/io/vfs.h"

namespace accel::runtime {

FileStat ToFileStat(const struct stat& status);

absl::StatusOr<std::unique_ptr<File>> OpenPosixFile(const std::string& path,
                                                    OpenMode mode);

// As Vfs::OpenStream says.
absl::StatusOr<std::unique_ptr<File>> OpenPosixStream(const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_POSIX_FILE_H_
