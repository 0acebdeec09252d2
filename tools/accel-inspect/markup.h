// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of strangers in SVG and HTML.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_MARKUP_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_MARKUP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace accel::tools {

// `text` as the content of an element, or of an attribute in double quotes.
std::string EscapedMarkup(absl::string_view text);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_MARKUP_H_
