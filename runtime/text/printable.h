// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of strangers on a terminal: a name in a model, a plan or a data file may
// hold what a terminal obeys, and would then hide or forge what we say.
#ifndef ACCEL_RUNTIME_TEXT_PRINTABLE_H_
#define ACCEL_RUNTIME_TEXT_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// `text` with all that steers a terminal written out: control characters as
// \n, \t or \x1b, those of Unicode, which turn the direction of writing or end
// a line, as \u202e, and bytes that are no UTF-8 as \xff. Everything else stays
// as it is, so this may be done twice.
std::string Printable(absl::string_view text);

// The same of a text of ours, whose lines stay lines.
std::string PrintableLines(absl::string_view text);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_TEXT_PRINTABLE_H_
