// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text that fits into a terminal: how many columns it takes, and where its
// lines may break.
#ifndef ACCEL_RUNTIME_BASE_TEXT_WRAP_H_
#define ACCEL_RUNTIME_BASE_TEXT_WRAP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// How many columns UTF-8 text takes on a terminal: one for each character, none
// for the escape sequences that colour it. Wide characters do not occur in what
// we print: text of files goes through Printable().
int DisplayWidth(absl::string_view text);

// The lines of `text`, each broken between words so that it takes at most
// `width` columns; a longer word stays whole. What follows a break is indented
// as deep as what stands behind the line's label ("data    text.bin" breaks
// under the t), or by two more than the line. width <= 0: unchanged.
std::string WrapWords(absl::string_view text, int width);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_TEXT_WRAP_H_
