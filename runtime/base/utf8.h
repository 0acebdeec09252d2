// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether bytes are UTF-8, and whether they are text at all.
#ifndef ACCEL_RUNTIME_BASE_UTF8_H_
#define ACCEL_RUNTIME_BASE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace accel::runtime {

struct Utf8Prefix {
  size_t size = 0;  // of the longest prefix that is UTF-8 of whole characters
  // What follows may be the beginning of a character: with more bytes the whole
  // may yet be UTF-8. Also true if nothing follows.
  bool may_go_on = true;
};

// As RFC 3629 has it: no surrogates, nothing beyond U+10FFFF, nothing longer
// than it need be.
Utf8Prefix FindUtf8Prefix(absl::string_view text);

// Whether this is how a text file begins: UTF-8, perhaps cut within its last
// character, without control characters but tabs, line and page ends.
bool LooksLikeText(absl::string_view beginning);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_UTF8_H_
