// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spelling of accel-run's --data and --eval-data, [NAME=]FILE[:u16|:u32],
// and the files that one flag stands for. A blend of datasets is FILE.toml
// alone (blend_file.h).
#ifndef ACCEL_RUNTIME_DATA_DATA_FLAG_H_
#define ACCEL_RUNTIME_DATA_DATA_FLAG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

enum class TokenEncoding {
  kAuto,  // llm.c's header if there is one, otherwise 16 bit
  kU16,   // headerless or llm.c, 16 bit
  kU32,   // headerless or llm.c, 32 bit
};

struct TokenPath {
  std::string path;
  TokenEncoding encoding = TokenEncoding::kAuto;
};

// FILE, FILE:u16 or FILE:u32.
TokenPath ParseTokenPath(absl::string_view text);

// The option of accel-run that most data are given with.
inline constexpr absl::string_view kDataOption = "--data";

struct DataFlag {
  std::string text;  // as given, for messages
  std::string name;  // empty if the flag has none
  std::string path;  // of a file, or a pattern with wildcards
  TokenEncoding encoding = TokenEncoding::kAuto;
  std::string option = std::string(kDataOption);  // for messages

  // What the name of the file, or of what the pattern matches, promises.
  bool is_array() const;
  bool is_blend() const;
};

// A '=' before the first '/' ends the name, so "./a=b.bin" is a path. Messages
// call the option `option`.
absl::StatusOr<DataFlag> ParseDataFlag(absl::string_view text,
                                       absl::string_view option = kDataOption);

// The file, or what the pattern matches, in byte order: at least one, all of
// them arrays (.npy) or all of them streams of tokens (.bin, .idx, or any name
// with an encoding). A file that exists under the name of a pattern is that
// file. A file that does not exist is not missed here.
absl::StatusOr<std::vector<std::string>> FindDataFiles(Vfs& vfs,
                                                       const DataFlag& flag);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_DATA_FLAG_H_
