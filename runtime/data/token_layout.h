// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tokens lie in a file: where they begin, and as which integers.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_LAYOUT_H_
#define ACCEL_RUNTIME_DATA_TOKEN_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/base/dtype.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/pinned_file.h"

namespace accel::runtime {

struct TokenLayout {
  uint64_t data_offset = 0;  // bytes in front of the tokens
  DType dtype = DType::kU16;
  std::string format = {};  // "llm.c header", "index"; empty: raw words
  // Of an index: how many documents it counts.
  std::optional<int64_t> documents = std::nullopt;

  int width() const { return static_cast<int>(ByteWidth(dtype)); }
  // "16-bit tokens", "16-bit tokens, llm.c header", "32-bit signed tokens,
  // index". Files of one stream have the same.
  std::string Describe() const;
};

// The layout of a file without an index: raw words, or llm.c's header and its
// words. What looks like something else is refused, unless `encoding` insists.
absl::StatusOr<TokenLayout> LearnLayout(const PinnedFile& file,
                                        TokenEncoding encoding);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_LAYOUT_H_
