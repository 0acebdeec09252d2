// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of a table, as a complaint lists them.
#ifndef ACCEL_DIALECTS_ACCEL_IR_NAMELIST_H
#define ACCEL_DIALECTS_ACCEL_IR_NAMELIST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel {

/// "a, b or c"
inline std::string listNames(llvm::ArrayRef<llvm::StringRef> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i].str();
  }
  return text;
}

} // namespace accel

#endif
