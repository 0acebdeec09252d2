// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time went, as people and programs read it.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_TRACE_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_TRACE_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/accel-inspect/trace_profile.h"

namespace accel::tools {

// A table of modules per stream, and its `top` most expensive instructions, as
// far as each takes half a thousandth of the time.
// Shares are of the stream's instructions and waiting together.
std::string TraceText(const TraceProfile& profile, size_t top, size_t width);

// The same and every instruction, as one object: docs/running.md.
std::string TraceJson(const TraceProfile& profile);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_TRACE_TEXT_H_
