// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the values of --data.
#include "runtime/data/data_flag.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace accel::runtime {
namespace {

absl::Status Malformed(absl::string_view text, absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--data ", text, ": expected [NAME=]FILE.npy, [NAME=]FILE.bin, ",
      "FILE.bin:u16 or FILE.bin:u32, got ", got));
}

}  // namespace

absl::StatusOr<DataFlag> ParseDataFlag(absl::string_view text) {
  DataFlag flag;
  flag.text = std::string(text);
  absl::string_view path = text;
  const size_t equals = path.find('=');
  if (equals != absl::string_view::npos && equals < path.find('/')) {
    flag.name = std::string(path.substr(0, equals));
    path.remove_prefix(equals + 1);
    if (flag.name.empty()) {
      return Malformed(text, "an empty name");
    }
  }
  if (absl::ConsumeSuffix(&path, ":u16")) {
    flag.encoding = TokenEncoding::kU16;
  } else if (absl::ConsumeSuffix(&path, ":u32")) {
    flag.encoding = TokenEncoding::kU32;
  }
  if (path.empty()) {
    return Malformed(text, "no file");
  }
  flag.path = std::string(path);
  if (flag.encoding != TokenEncoding::kAuto || absl::EndsWith(path, ".bin")) {
    flag.kind = DataFlag::Kind::kTokens;
    return flag;
  }
  if (absl::EndsWith(path, ".npy")) {
    return flag;
  }
  return Malformed(text, "a file of another kind");
}

}  // namespace accel::runtime
