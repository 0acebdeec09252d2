// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spelling of accel-run's --data: [NAME=]FILE.npy, [NAME=]FILE.bin,
// FILE.bin:u16, FILE.bin:u32.
#ifndef ACCEL_RUNTIME_DATA_DATA_FLAG_H_
#define ACCEL_RUNTIME_DATA_DATA_FLAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

enum class TokenEncoding {
  kAuto,  // llm.c's header if there is one, otherwise 16 bit
  kU16,   // headerless or llm.c, 16 bit
  kU32,   // headerless or llm.c, 32 bit
};

struct DataFlag {
  enum class Kind { kArray, kTokens };

  std::string text;  // as given, for messages
  std::string name;  // empty if the flag has none
  std::string path;
  Kind kind = Kind::kArray;
  TokenEncoding encoding = TokenEncoding::kAuto;
};

// A '=' before the first '/' ends the name, so "./a=b.bin" is a path.
absl::StatusOr<DataFlag> ParseDataFlag(absl::string_view text);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_DATA_FLAG_H_
