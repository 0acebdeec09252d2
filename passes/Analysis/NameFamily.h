// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of layers that repeat, as one.
#ifndef ACCEL_PASSES_ANALYSIS_NAMEFAMILY_H
#define ACCEL_PASSES_ANALYSIS_NAMEFAMILY_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel {

/// The name with every number in it replaced by a star: layers look alike.
inline std::string getNameFamily(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    bool isDigit = llvm::isDigit(c);
    if (!isDigit || text.empty() || text.back() != '*') {
      text += isDigit ? '*' : c;
    }
  }
  return text;
}

} // namespace accel

#endif
