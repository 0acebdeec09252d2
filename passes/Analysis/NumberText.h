// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people write them, for remarks and reports.
#ifndef ACCEL_PASSES_ANALYSIS_NUMBERTEXT_H
#define ACCEL_PASSES_ANALYSIS_NUMBERTEXT_H

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace accel {

/// 0.125, 1e-05: up to six digits.
inline std::string toText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

} // namespace accel

#endif
