// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vfs of a real machine.
#ifndef ACCEL_RUNTIME_IO_POSIX_VFS_H_
#define ACCEL_RUNTIME_IO_POSIX_VFS_H_

#include <memory>

#include "runtime/io/vfs.h"

namespace accel::runtime {

// Made once in main() and handed down by reference.
std::unique_ptr<Vfs> MakePosixVfs();

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_POSIX_VFS_H_
