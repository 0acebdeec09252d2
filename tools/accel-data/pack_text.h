// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text as training data without a tokenizer: every byte is a token.
#ifndef ACCEL_TOOLS_ACCEL_DATA_PACK_TEXT_H_
#define ACCEL_TOOLS_ACCEL_DATA_PACK_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

// Writes the bytes of the inputs, one after the other, as 16-bit little-endian
// tokens without a header. Returns the number of tokens. The output appears
// complete or not at all; inputs without any byte are an error.
absl::StatusOr<uint64_t> PackText(runtime::Vfs& vfs,
                                  const std::vector<std::string>& inputs,
                                  const std::string& output);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_PACK_TEXT_H_
