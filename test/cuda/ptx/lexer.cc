// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/lexer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {
namespace {

bool IsWordStart(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool IsWordPart(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Read() {
    while (true) {
      absl::Status status = SkipBlanks();
      if (!status.ok()) {
        return status;
      }
      if (at_ == text_.size()) {
        tokens_.push_back({Token::Kind::kEnd, "", line_});
        return std::move(tokens_);
      }
      status = ReadToken();
      if (!status.ok()) {
        return status;
      }
    }
  }

 private:
  char At(size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }

  absl::Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        ++line_;
        ++at_;
      } else if (absl::ascii_isspace(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == absl::string_view::npos) {
          return absl::InvalidArgumentError(
              absl::StrCat("line ", line_, ": the comment does not end"));
        }
        for (; at_ < end + 2; ++at_) {
          line_ += text_[at_] == '\n' ? 1 : 0;
        }
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadToken() {
    const char c = text_[at_];
    size_t end = at_ + 1;
    Token::Kind kind = Token::Kind::kSign;
    if (IsWordStart(c)) {
      kind = Token::Kind::kWord;
      // A word may hold "::", as .shared::cta does; a label ends with ":".
      while (IsWordPart(At(end)) ||
             (text_.substr(end, 2) == "::" && IsWordPart(At(end + 2)))) {
        end += At(end) == ':' ? 2 : 1;
      }
    } else if (absl::ascii_isdigit(c)) {
      kind = Token::Kind::kNumber;
      while (absl::ascii_isalnum(At(end)) || At(end) == '.') {
        ++end;
      }
      end = ExponentEnd(end);
    } else if (c == '"') {
      kind = Token::Kind::kString;
      end = text_.find_first_of("\"\n", end);
      if (At(end) != '"') {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", line_, ": the string does not end"));
      }
      ++end;
    }
    tokens_.push_back({kind, text_.substr(at_, end - at_), line_});
    at_ = end;
    return absl::OkStatus();
  }

  // 1.5e-3 has a sign within it; the hexadecimal 0x1e does not.
  size_t ExponentEnd(size_t end) const {
    const absl::string_view number = text_.substr(at_, end - at_);
    const bool has_exponent = (number.back() == 'e' || number.back() == 'E') &&
                              number.find('.') != absl::string_view::npos &&
                              (At(end) == '-' || At(end) == '+');
    if (!has_exponent) {
      return end;
    }
    ++end;
    while (absl::ascii_isdigit(At(end))) {
      ++end;
    }
    return end;
  }

  absl::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> ReadTokens(absl::string_view text) {
  return Lexer(text).Read();
}

absl::Status ErrorAtLine(absl::StatusCode code, absl::string_view line_text,
                         uint32_t line, absl::string_view message) {
  return absl::Status(
      code, absl::StrCat("line ", line, " '", line_text, "': ", message));
}

std::vector<std::string> SplitLines(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = line.substr(0, line.find("//"));
    std::string stripped(absl::StripAsciiWhitespace(line));
    for (char& c : stripped) {
      c = c == '\t' ? ' ' : c;
    }
    lines.push_back(std::move(stripped));
  }
  return lines;
}

}  // namespace accel::ptx
