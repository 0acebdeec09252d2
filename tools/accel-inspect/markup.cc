// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The characters that markup is made of.
#include "tools/accel-inspect/markup.h"

#include "absl/strings/str_replace.h"

namespace accel::tools {

std::string EscapedMarkup(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace accel::tools
