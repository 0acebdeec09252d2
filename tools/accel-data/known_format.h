// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that people have where text is expected.
#ifndef ACCEL_TOOLS_ACCEL_DATA_KNOWN_FORMAT_H_
#define ACCEL_TOOLS_ACCEL_DATA_KNOWN_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace accel::tools {

// InvalidArgument if the file begins as compressed data, an archive, a Parquet
// file, a PDF document or an array does: its bytes would be packed, and trained
// on. The error says what to do with it.
absl::Status RefuseKnownFormat(const std::string& path,
                               absl::string_view beginning);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_KNOWN_FORMAT_H_
