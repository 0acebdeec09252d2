// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index with tokens beside it that have the size it asks for, as far as that
// is small, so that what lies behind the checks is reached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/data/token_file.h"
#include "runtime/data/token_index.h"
#include "test/fuzz/memory_vfs.h"

namespace {

using accel::runtime::ByteWidth;
using accel::runtime::OpenMode;
using accel::runtime::ReadTokenIndex;
using accel::runtime::TokenEncoding;
using accel::runtime::TokenFile;

constexpr int64_t kMostTokens = 1 << 16;

void WriteTokens(accel::testing::MemoryVfs& vfs, int64_t bytes) {
  std::string tokens(static_cast<size_t>(bytes), '\0');
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<char>(i * 37);
  }
  const auto file = vfs.Open("x.bin", OpenMode::kTruncate);
  (*file)
      ->AppendAll(
          {reinterpret_cast<const std::byte*>(tokens.data()), tokens.size()})
      .IgnoreError();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accel::testing::MemoryVfs vfs(
      "x.idx", std::string(reinterpret_cast<const char*>(data), size));
  accel::runtime::LooksLikeIndex(vfs, "x.idx").IgnoreError();
  const auto index = ReadTokenIndex(vfs, "x.idx");
  if (!index.ok()) {
    return 0;
  }
  // What was accepted is consistent, and no larger than its file says.
  if (index->sequences < 0 || index->documents < 0 || index->tokens < 0 ||
      static_cast<uint64_t>(index->sequences) > size / 12) {
    std::abort();
  }
  WriteTokens(vfs,
              std::min(index->tokens, kMostTokens) * ByteWidth(index->dtype));
  const auto file = TokenFile::Open(vfs, "x.idx", TokenEncoding::kAuto);
  if (!file.ok()) {
    return 0;
  }
  (*file)->CheckWhole().IgnoreError();
  (*file)->SetVocabulary(100);
  std::vector<uint32_t> tokens(static_cast<size_t>((*file)->size()));
  (*file)->Read(0, absl::MakeSpan(tokens)).IgnoreError();
  return 0;
}
