// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a PTX text token by token. The first error stays, and after it every
// token is the end, so that no loop of a parser runs on.
#ifndef ACCEL_TEST_CUDA_PTX_CURSOR_H_
#define ACCEL_TEST_CUDA_PTX_CURSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/lexer.h"

namespace accel::ptx {

class Cursor {
 public:
  // Borrows: `lines`, to quote them.
  Cursor(std::vector<Token> tokens, const std::vector<std::string>& lines)
      : tokens_(std::move(tokens)), lines_(lines) {}

  const Token& Peek(size_t ahead = 0) const;
  Token Next();
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }
  // Takes the token if it is this word or sign.
  bool Accept(absl::string_view what);
  // Fails if the next token is another one.
  void Expect(absl::string_view what);
  absl::string_view ExpectWord();
  int64_t ExpectInteger();
  // Takes the rest of the line of the last token.
  void SkipLine();

  void Fail(absl::string_view message);
  void FailUnknown(absl::string_view message);
  void FailAt(uint32_t line, const absl::Status& status);
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  uint32_t line() const { return Peek().line; }

 private:
  std::vector<Token> tokens_;
  const std::vector<std::string>& lines_;
  size_t at_ = 0;
  uint32_t last_line_ = 1;
  absl::Status status_;
};

// The value of a number of the text. Returns false if it is none.
bool ParseInteger(absl::string_view text, int64_t* value);
// 0f..., 0d... or a decimal with a point, as the bits of an f64.
bool ParseFloat(absl::string_view text, int64_t* bits, bool* is_single);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_CURSOR_H_
