// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats by their first bytes.
#include "tools/accel-data/known_format.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace accel::tools {
namespace {

struct Format {
  absl::string_view magic;
  absl::string_view name;
  absl::string_view remedy;
};

constexpr absl::string_view kUnpack = "unpack it first";
constexpr absl::string_view kConvert = "write its text as JSON Lines";
constexpr std::array<Format, 8> kFormats = {{
    {"\x1f\x8b", "gzip-compressed data", kUnpack},
    {"\x28\xb5\x2f\xfd", "zstd-compressed data", kUnpack},
    {"\xfd\x37zXZ", "xz-compressed data", kUnpack},
    {"BZh", "bzip2-compressed data", kUnpack},
    {"PK\x03\x04", "a zip archive", kUnpack},
    {"PAR1", "a Parquet file", kConvert},
    {"%PDF-", "a PDF document", kConvert},
    {"\x93NUMPY", "an array of NumPy",
     "give it to accel-run as --data NAME=FILE.npy"},
}};

}  // namespace

absl::Status RefuseKnownFormat(const std::string& path,
                               absl::string_view beginning) {
  for (const Format& format : kFormats) {
    if (absl::StartsWith(beginning, format.magic)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "': expected text, got ", format.name, "; ",
                       format.remedy));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::tools
