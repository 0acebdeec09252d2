// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of tokens, taken for each of the encodings that a user may name.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/data/token_file.h"
#include "test/fuzz/memory_vfs.h"

namespace {

using accel::runtime::TokenEncoding;
using accel::runtime::TokenFile;

constexpr int64_t kVocabulary = 50257;

void ReadAs(accel::testing::MemoryVfs& vfs, TokenEncoding encoding) {
  const auto file = TokenFile::Open(vfs, "x.bin", encoding);
  if (!file.ok()) {
    return;
  }
  (*file)->Layout();
  (*file)->CheckWhole().IgnoreError();
  (*file)->SetVocabulary(kVocabulary);
  std::vector<uint32_t> tokens(std::min<int64_t>((*file)->size(), 1 << 16));
  (*file)->Read(0, absl::MakeSpan(tokens)).IgnoreError();
  (*file)
      ->Read((*file)->size() - static_cast<int64_t>(tokens.size()),
             absl::MakeSpan(tokens))
      .IgnoreError();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accel::testing::MemoryVfs vfs(
      "x.bin", std::string(reinterpret_cast<const char*>(data), size));
  for (const auto encoding :
       {TokenEncoding::kAuto, TokenEncoding::kU16, TokenEncoding::kU32}) {
    ReadAs(vfs, encoding);
  }
  return 0;
}
