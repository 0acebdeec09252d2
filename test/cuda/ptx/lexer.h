// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words, numbers and signs of a PTX text. An opcode with its modifiers, a
// register and a directive are one word each.
#ifndef ACCEL_TEST_CUDA_PTX_LEXER_H_
#define ACCEL_TEST_CUDA_PTX_LEXER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {

struct Token {
  enum class Kind { kWord, kNumber, kString, kSign, kEnd };

  Kind kind = Kind::kEnd;
  absl::string_view text;  // Borrows: of the text that was read.
  uint32_t line = 0;       // from 1

  bool Is(absl::string_view what) const {
    return (kind == Kind::kSign || kind == Kind::kWord) && text == what;
  }
};

// The last token is kEnd.
absl::StatusOr<std::vector<Token>> ReadTokens(absl::string_view text);

// "line 12 'add.s32 %r1, %r2;': message"
absl::Status ErrorAtLine(absl::StatusCode code, absl::string_view line_text,
                         uint32_t line, absl::string_view message);

// The lines without the blanks and comments at their ends.
std::vector<std::string> SplitLines(absl::string_view text);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_LEXER_H_
