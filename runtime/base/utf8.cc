// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 byte by byte: what the first byte of a character says of the others.
#include "runtime/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace accel::runtime {
namespace {

// How many bytes a character has, and what its second one may be.
struct Lead {
  size_t size = 0;  // 0: no character begins like this
  uint8_t least = 0x80;
  uint8_t most = 0xbf;
};

Lead LeadOf(uint8_t byte) {
  if (byte < 0x80) {
    return {1};
  }
  if (byte >= 0xc2 && byte <= 0xdf) {
    return {2};
  }
  if (byte >= 0xe0 && byte <= 0xef) {
    const uint8_t least = byte == 0xe0 ? 0xa0 : 0x80;  // not overlong
    const uint8_t most = byte == 0xed ? 0x9f : 0xbf;   // no surrogate
    return {3, least, most};
  }
  if (byte >= 0xf0 && byte <= 0xf4) {
    const uint8_t least = byte == 0xf0 ? 0x90 : 0x80;
    const uint8_t most = byte == 0xf4 ? 0x8f : 0xbf;  // up to U+10FFFF
    return {4, least, most};
  }
  return {};
}

// How many bytes of `text` are right as the character that `lead` begins.
size_t RightBytes(absl::string_view text, const Lead& lead) {
  const size_t available = std::min(lead.size, text.size());
  for (size_t i = 1; i < available; ++i) {
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    const uint8_t least = i == 1 ? lead.least : 0x80;
    const uint8_t most = i == 1 ? lead.most : 0xbf;
    if (byte < least || byte > most) {
      return i;
    }
  }
  return available;
}

bool IsControl(char c) {
  const uint8_t byte = static_cast<uint8_t>(c);
  const bool is_space = byte >= '\t' && byte <= '\r';
  return (byte < 0x20 && !is_space) || byte == 0x7f;
}

}  // namespace

Utf8Prefix FindUtf8Prefix(absl::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const absl::string_view rest = text.substr(at);
    const Lead lead = LeadOf(static_cast<uint8_t>(rest[0]));
    const size_t right = RightBytes(rest, lead);
    if (right < lead.size || lead.size == 0) {
      return {at, lead.size != 0 && right == rest.size()};
    }
    at += lead.size;
  }
  return {at, true};
}

bool LooksLikeText(absl::string_view beginning) {
  return !beginning.empty() && FindUtf8Prefix(beginning).may_go_on &&
         std::none_of(beginning.begin(), beginning.end(), IsControl);
}

}  // namespace accel::runtime
