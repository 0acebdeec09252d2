// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the Python dictionary in the header of a .npy file: three keys whose
// values are a string, a boolean and a tuple of integers.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/npy.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

constexpr std::array<std::pair<absl::string_view, DType>, 12> kDTypes = {{
    {"b1", DType::kBool},
    {"i1", DType::kI8},
    {"u1", DType::kU8},
    {"i2", DType::kI16},
    {"u2", DType::kU16},
    {"i4", DType::kI32},
    {"u4", DType::kU32},
    {"i8", DType::kI64},
    {"u8", DType::kU64},
    {"f2", DType::kF16},
    {"f4", DType::kF32},
    {"f8", DType::kF64},
}};

std::optional<DType> DTypeOfCode(absl::string_view code) {
  for (const auto& [known, dtype] : kDTypes) {
    if (known == code) {
      return dtype;
    }
  }
  return std::nullopt;
}

// `descr` is a byte order and a code: "<f4".
absl::StatusOr<DType> DTypeOf(absl::string_view descr) {
  const char order = descr.empty() ? '\0' : descr[0];
  const absl::string_view code = descr.substr(descr.empty() ? 0 : 1);
  const auto dtype = DTypeOfCode(code);
  if (dtype.has_value() && (order == '<' || order == '|' || order == '=')) {
    return *dtype;
  }
  if (dtype.has_value() && order == '>') {
    return absl::InvalidArgumentError(
        absl::StrCat("expected little-endian values, got dtype '", descr,
                     "'; write ARRAY.astype('<", code, "')"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected dtype bool, int8 to int64, uint8 to uint64, or float16 to "
      "float64, got '",
      Printable(descr), "'; write ARRAY.astype(one of these)"));
}

// A cursor over the text. Each function consumes what it names or fails.
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<NpyHeader> Parse() {
    RETURN_IF_ERROR(Expect('{'));
    while (!Accept('}')) {
      ASSIGN_OR_RETURN(const std::string key, String());
      RETURN_IF_ERROR(Expect(':'));
      RETURN_IF_ERROR(Value(key));
      if (Accept('}')) {
        break;
      }
      RETURN_IF_ERROR(Expect(','));
    }
    if (!absl::StripAsciiWhitespace(rest_).empty() || seen_.size() != 3) {
      return Malformed("the keys descr, fortran_order and shape, once each");
    }
    return std::move(header_);
  }

 private:
  absl::Status Value(const std::string& key) {
    if (!seen_.insert(key).second) {
      return Malformed("each key once");
    }
    if (key == "descr") {
      if (Peek() == '[') {
        return absl::InvalidArgumentError(
            "the array is structured (a record dtype); save each field as an "
            "array of its own");
      }
      ASSIGN_OR_RETURN(const std::string descr, String());
      ASSIGN_OR_RETURN(header_.dtype, DTypeOf(descr));
      return absl::OkStatus();
    }
    if (key == "fortran_order") {
      return FortranOrder();
    }
    if (key == "shape") {
      return Shape();
    }
    return Malformed("the keys descr, fortran_order and shape");
  }

  absl::Status FortranOrder() {
    if (AcceptWord("False")) {
      return absl::OkStatus();
    }
    if (!AcceptWord("True")) {
      return Malformed("True or False");
    }
    return absl::InvalidArgumentError(
        "the array is in Fortran order; write "
        "numpy.ascontiguousarray(ARRAY)");
  }

  absl::Status Shape() {
    RETURN_IF_ERROR(Expect('('));
    while (!Accept(')')) {
      ASSIGN_OR_RETURN(const int64_t dim, Integer());
      header_.shape.push_back(dim);
      if (Accept(')')) {
        break;
      }
      RETURN_IF_ERROR(Expect(','));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Integer() {
    SkipSpace();
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isdigit(rest_[length])) {
      ++length;
    }
    int64_t value = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, length), &value)) {
      return Malformed("a dimension");
    }
    rest_.remove_prefix(length);
    return value;
  }

  absl::StatusOr<std::string> String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') {
      return Malformed("a string");
    }
    const size_t end = rest_.find(quote, 1);
    if (end == absl::string_view::npos) {
      return Malformed("a closing quote");
    }
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  char Peek() {
    SkipSpace();
    return rest_.empty() ? '\0' : rest_[0];
  }

  bool Accept(char wanted) {
    SkipSpace();
    if (rest_.empty() || rest_[0] != wanted) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool AcceptWord(absl::string_view word) {
    SkipSpace();
    if (rest_.substr(0, word.size()) != word) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }

  absl::Status Expect(char wanted) {
    if (Accept(wanted)) {
      return absl::OkStatus();
    }
    return Malformed(absl::StrCat("'", std::string(1, wanted), "'"));
  }

  absl::Status Malformed(absl::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed .npy header: expected ", expected, " at \"",
                     Printable(rest_.substr(0, 20)), "\""));
  }

  absl::string_view rest_;
  NpyHeader header_;
  std::set<std::string> seen_;
};

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text) {
  return HeaderParser(text).Parse();
}

absl::StatusOr<std::string> MakeNpyHeader(const NpyHeader& header) {
  const auto known = std::find_if(
      kDTypes.begin(), kDTypes.end(),
      [&](const auto& entry) { return entry.second == header.dtype; });
  if (known == kDTypes.end()) {
    return absl::UnimplementedError(absl::StrCat(
        "a .npy file cannot hold elements of type ", DTypeName(header.dtype)));
  }
  std::string text =
      absl::StrCat("{'descr': '", ByteWidth(header.dtype) == 1 ? "|" : "<",
                   known->first, "', 'fortran_order': False, 'shape': (",
                   absl::StrJoin(header.shape, ", "),
                   header.shape.size() == 1 ? "," : "", "), }");
  constexpr size_t kPreamble = 10;
  constexpr size_t kAlignment = 64;
  // The dictionary ends with a line break.
  const size_t used = kPreamble + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(text.size() & 0xff));
  bytes.push_back(static_cast<char>(text.size() >> 8));
  return bytes + text;
}

}  // namespace accel::runtime
