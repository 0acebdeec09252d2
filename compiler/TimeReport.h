// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a compilation went, for programs.
#ifndef ACCEL_COMPILER_TIMEREPORT_H
#define ACCEL_COMPILER_TIMEREPORT_H

#include "llvm/Support/JSON.h"

namespace accel {

/// An object on one line, as diagnostics in JSON are:
///
///   {"time_report": {"seconds": 0.42, "cpu_seconds": 0.61, "parts": [
///     {"name": "import", "seconds": ..., "cpu_seconds": ..., "parts": [...]},
///   ...]}}
///
/// `report` is what MLIR's timing manager prints as JSON.
llvm::Expected<llvm::json::Object> makeTimeReport(llvm::StringRef report);

} // namespace accel

#endif
