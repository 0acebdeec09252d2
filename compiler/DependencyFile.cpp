// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The escapes that GNU Make and Ninja agree on.
#include "compiler/DependencyFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace accel {

/// Backslashes are themselves, but for those in front of what a backslash
/// escapes: there Make and Ninja halve them.
static std::string escape(llvm::StringRef file) {
  std::string text;
  size_t backslashes = 0;
  for (char c : file) {
    if (c == ' ' || c == '#') {
      text.append(backslashes + 1, '\\');
    } else if (c == '$') {
      text += '$';
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
    text += c;
  }
  return text;
}

bool canBeNamedInRule(llvm::StringRef file) {
  return file.find_first_of("\n\r") == llvm::StringRef::npos;
}

std::string makeDependencyRule(llvm::StringRef target,
                               llvm::ArrayRef<std::string> files) {
  std::string rule = escape(target) + ":";
  llvm::StringSet<> seen;
  for (const std::string &file : files) {
    if (seen.insert(file).second) {
      rule += " \\\n  " + escape(file);
    }
  }
  return rule + "\n";
}

} // namespace accel
