// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/cursor.h"

#include <algorithm>
#include <bit>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {
namespace {

bool ParseDigits(absl::string_view digits, uint64_t base, uint64_t* value) {
  *value = 0;
  for (const char c : digits) {
    uint64_t digit = base;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    }
    if (digit >= base || *value > (~uint64_t{0} - digit) / base) {
      return false;
    }
    *value = *value * base + digit;
  }
  return !digits.empty();
}

}  // namespace

const Token& Cursor::Peek(size_t ahead) const {
  if (!status_.ok()) {
    return tokens_.back();
  }
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token Cursor::Next() {
  const Token token = Peek();
  if (token.kind != Token::Kind::kEnd) {
    ++at_;
  }
  last_line_ = token.line;
  return token;
}

bool Cursor::Accept(absl::string_view what) {
  if (!Peek().Is(what)) {
    return false;
  }
  Next();
  return true;
}

void Cursor::Expect(absl::string_view what) {
  if (!Accept(what)) {
    Fail(absl::StrCat("expected '", what, "', got '", Peek().text, "'"));
  }
}

absl::string_view Cursor::ExpectWord() {
  if (Peek().kind != Token::Kind::kWord) {
    Fail(absl::StrCat("expected a name, got '", Peek().text, "'"));
    return "";
  }
  return Next().text;
}

int64_t Cursor::ExpectInteger() {
  const bool negative = Accept("-");
  int64_t value = 0;
  if (Peek().kind != Token::Kind::kNumber ||
      !ParseInteger(Peek().text, &value)) {
    Fail(absl::StrCat("expected an integer, got '", Peek().text, "'"));
    return 0;
  }
  Next();
  return negative ? static_cast<int64_t>(-static_cast<uint64_t>(value)) : value;
}

void Cursor::SkipLine() {
  const uint32_t line = last_line_;
  while (!AtEnd() && Peek().line == line) {
    Next();
  }
}

void Cursor::Fail(absl::string_view message) {
  FailAt(Peek().line, absl::InvalidArgumentError(message));
}

void Cursor::FailUnknown(absl::string_view message) {
  FailAt(Peek().line, absl::UnimplementedError(message));
}

void Cursor::FailAt(uint32_t line, const absl::Status& status) {
  if (status_.ok() && !status.ok()) {
    const size_t index = std::clamp<size_t>(line, 1, lines_.size()) - 1;
    status_ = ErrorAtLine(status.code(), lines_[index], line, status.message());
  }
}

bool ParseInteger(absl::string_view text, int64_t* value) {
  uint64_t magnitude = 0;
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) {
    text.remove_suffix(1);
  }
  bool ok = false;
  if (absl::StartsWithIgnoreCase(text, "0x")) {
    ok = ParseDigits(text.substr(2), 16, &magnitude);
  } else if (absl::StartsWithIgnoreCase(text, "0b")) {
    ok = ParseDigits(text.substr(2), 2, &magnitude);
  } else if (text.size() > 1 && text[0] == '0') {
    ok = ParseDigits(text.substr(1), 8, &magnitude);
  } else {
    ok = ParseDigits(text, 10, &magnitude);
  }
  *value = static_cast<int64_t>(magnitude);
  return ok;
}

bool ParseFloat(absl::string_view text, int64_t* bits, bool* is_single) {
  uint64_t digits = 0;
  *is_single = false;
  if (absl::StartsWithIgnoreCase(text, "0f") && text.size() == 10) {
    *is_single = true;
    if (!ParseDigits(text.substr(2), 16, &digits)) {
      return false;
    }
    const double value = std::bit_cast<float>(static_cast<uint32_t>(digits));
    *bits = static_cast<int64_t>(std::bit_cast<uint64_t>(value));
    return true;
  }
  if (absl::StartsWithIgnoreCase(text, "0d") && text.size() == 18) {
    *bits = 0;
    const bool ok = ParseDigits(text.substr(2), 16, &digits);
    *bits = static_cast<int64_t>(digits);
    return ok;
  }
  double value = 0;
  if (text.find('.') == absl::string_view::npos ||
      !absl::SimpleAtod({text.data(), text.size()}, &value)) {
    return false;
  }
  *bits = static_cast<int64_t>(std::bit_cast<uint64_t>(value));
  return true;
}

}  // namespace accel::ptx
