// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace of accel-run says of itself, in its object `otherData`, so that
// readers know what they have before them.
#ifndef ACCEL_RUNTIME_REPORT_TRACE_FORMAT_H_
#define ACCEL_RUNTIME_REPORT_TRACE_FORMAT_H_

#include "absl/strings/string_view.h"

namespace accel::runtime {

// The value of `format`.
inline constexpr absl::string_view kTraceFormat = "accel-run trace";
// Of `version`; changes when a reader could misunderstand a trace.
inline constexpr int kTraceVersion = 2;

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_TRACE_FORMAT_H_
