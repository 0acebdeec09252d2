// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Curves drawn with characters.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_CURVE_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_CURVE_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/accel-inspect/curve.h"

namespace accel::tools {

struct CurveTextOptions {
  size_t width = 80;   // columns; less than 20 counts as 20
  size_t height = 15;  // rows of the plane
  // Braille dots, eight to a character; otherwise ASCII, a character a point.
  bool unicode = false;
};

// The plane with ticks. One curve is drawn in dots or stars; of several each
// has its letter, a, b ..., which the key below the plane explains. Evaluations
// are letters over the lines: o, or A, B ...
std::string CurveText(const std::vector<Curve>& curves,
                      const CurveTextOptions& options);

// Whether the environment's locale says UTF-8 (null: variable not set). The
// first of them that is set and not empty decides.
bool IsUtf8Locale(const char* lc_all, const char* lc_ctype, const char* lang);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_CURVE_TEXT_H_
