// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 is decoded strictly: an overlong form of an escape is no UTF-8.
#include "runtime/text/printable.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace accel::runtime {
namespace {

// A code point and how many bytes it takes; no bytes for what is no UTF-8.
struct Decoded {
  uint32_t code = 0;
  size_t size = 0;
};

Decoded DecodeFirst(absl::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
    return {};
  }
  uint32_t code = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) {
      return {};
    }
    code = code << 6 | (byte & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[size] || code > 0x10ffff || is_surrogate
             ? Decoded{}
             : Decoded{code, size};
}

bool SteersTerminal(uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool is_direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                            (code >= 0x202a && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  return is_control || is_direction || is_line_end;
}

std::string WrittenOut(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x80 ? absl::StrFormat("\\x%02x", code)
                         : absl::StrFormat("\\u%04x", code);
  }
}

std::string Escape(absl::string_view text, bool keeps_lines) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const Decoded first = DecodeFirst(text);
    const size_t size = first.size == 0 ? 1 : first.size;
    if (first.size == 0) {
      absl::StrAppendFormat(&printable, "\\x%02x",
                            static_cast<uint8_t>(text[0]));
    } else if (SteersTerminal(first.code) &&
               !(keeps_lines && first.code == '\n')) {
      absl::StrAppend(&printable, WrittenOut(first.code));
    } else {
      absl::StrAppend(&printable, text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return printable;
}

}  // namespace

std::string Printable(absl::string_view text) { return Escape(text, false); }

std::string PrintableLines(absl::string_view text) {
  return Escape(text, true);
}

}  // namespace accel::runtime
