// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Curves drawn as SVG.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_CURVE_SVG_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_CURVE_SVG_H_

#include <string>
#include <vector>

#include "tools/accel-inspect/curve.h"

namespace accel::tools {

// A line for the steps of each run, and a broken one with a dot for each
// evaluation for what it has measured on other data.
//
// A picture of its own, without scripts, fonts or anything else from outside.
// It has a light and a dark form, which the reader's settings choose
// (prefers-color-scheme). The same curves give the same bytes.
std::string CurveSvg(const std::vector<Curve>& curves);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_CURVE_SVG_H_
