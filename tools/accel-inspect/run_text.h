// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run directory holds, for people and for programs.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_RUN_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_RUN_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/accel-inspect/run_contents.h"

namespace accel::tools {

std::string RunText(const RunContents& run, size_t width);

// One object, version 1.
std::string RunJson(const RunContents& run);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_RUN_TEXT_H_
