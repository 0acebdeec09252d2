// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a run: what it reads is kept from what it writes.
#ifndef ACCEL_TOOLS_ACCEL_RUN_RUN_FILES_H_
#define ACCEL_TOOLS_ACCEL_RUN_RUN_FILES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

// Whether every output can be written and is a file of its own: none that the
// run reads, and no other output of any of its `processes` ranks. Before the
// plan is open (null), all but its weights beside it is known.
absl::Status CheckRunFiles(runtime::Vfs& vfs, const RunOptions& options,
                           uint32_t processes, const runtime::Plan* plan);

// --trace as rank `rank` of several processes writes it.
std::string TracePath(const std::string& path, uint32_t rank);

// Whether an output is standard output itself.
bool WritesToStandardOutput(runtime::Vfs& vfs, const RunOptions& options);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_RUN_FILES_H_
