// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which diagnostics are shown, and how.
#ifndef ACCEL_COMPILER_DIAGNOSTICSSTYLE_H
#define ACCEL_COMPILER_DIAGNOSTICSSTYLE_H

#include "dialects/Diagnostics/ErrorCode.h"

#include <vector>

namespace accel {

struct DiagnosticsStyle {
  enum class Format {
    Text,
    Json, ///< an object per line
    Sarif ///< one log at the end
  };
  Format format = Format::Text;
  bool quiet = false; ///< no remarks, no summary
  bool warningsAsErrors = false;
  std::vector<ErrorCode> ignored; ///< warnings that are left out
  bool color = false;             ///< of text
  /// Columns that text is wrapped to; 0: not at all, for programs that search.
  unsigned width = 0;
};

} // namespace accel

#endif
