// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a path given for an output stands for: a file that is made or replaced,
// or something that is written to and stays.
#ifndef ACCEL_RUNTIME_IO_OUTPUT_TARGET_H_
#define ACCEL_RUNTIME_IO_OUTPUT_TARGET_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct OutputTarget {
  // With links followed, so that they stay.
  std::string path;
  // A regular file, or a new one, appears under its name when it is complete.
  // Anything else - a FIFO, a device, a descriptor that is open - is written
  // to and never replaced.
  bool replaced = true;
  // What is there now. None: a new file.
  std::optional<FileStat> existing;
  // The folder of a file that is replaced.
  FileStat folder;
};

// "-" is standard output. Refused, with what to do: an empty path, a folder, a
// file in a folder that does not exist, what this process may not write to.
// Messages leave out the path itself.
absl::StatusOr<OutputTarget> ResolveOutput(Vfs& vfs, const std::string& path);

// Whether `path` names standard output itself ("-", /dev/stdout, /dev/fd/1, a
// link to one of them): what people read must go elsewhere then.
bool IsStandardOutput(Vfs& vfs, const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_OUTPUT_TARGET_H_
