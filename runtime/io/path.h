// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on path names; touches no disk.
#ifndef ACCEL_RUNTIME_IO_PATH_H_
#define ACCEL_RUNTIME_IO_PATH_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// "a" and "b" give "a/b"; an absolute second part wins, an empty part vanishes.
std::string JoinPath(absl::string_view directory, absl::string_view name);

// "a/b/c" gives "a/b", "c" gives ".", "/c" gives "/".
std::string ParentDirectory(absl::string_view path);

// "a/b/c.bin" gives "c.bin".
std::string FileName(absl::string_view path);

// "a/b/c.tar.gz" gives "c.tar"; ".hidden" stays.
std::string FileStem(absl::string_view path);

// "/dev/fd/3" and "/proc/self/fd/3" give 3, "/dev/stdout" 1, "/dev/stderr" 2:
// names of descriptors that this process has open.
std::optional<int> DescriptorOfPath(absl::string_view path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_PATH_H_
