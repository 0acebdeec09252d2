// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How messages name one or several files.
#ifndef ACCEL_RUNTIME_DATA_FILE_LIST_H_
#define ACCEL_RUNTIME_DATA_FILE_LIST_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// "'a.bin'", "'a.bin' to 'c.bin' (3 files)".
inline std::string FileListName(absl::string_view first, absl::string_view last,
                                size_t count) {
  return count == 1 ? absl::StrCat("'", first, "'")
                    : absl::StrCat("'", first, "' to '", last, "' (", count,
                                   " files)");
}

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_FILE_LIST_H_
