// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names with wildcards, as a shell would expand them, in an order that neither
// locale nor folder decides.
#ifndef ACCEL_RUNTIME_IO_GLOB_H_
#define ACCEL_RUNTIME_IO_GLOB_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Whether `text` has one of *, ? and [.
bool HasWildcard(absl::string_view text);

// What matches the pattern, in byte order; nothing is no error. The wildcards
// *, ? and [...] match within one name, at any level of folders, and never a
// leading dot. "**" is refused: it would seem to reach into all folders below.
absl::StatusOr<std::vector<std::string>> Glob(Vfs& vfs,
                                              const std::string& pattern);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_GLOB_H_
