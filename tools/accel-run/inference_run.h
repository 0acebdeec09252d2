// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a plan once: arrays from files, arrays to files.
#ifndef ACCEL_TOOLS_ACCEL_RUN_INFERENCE_RUN_H_
#define ACCEL_TOOLS_ACCEL_RUN_INFERENCE_RUN_H_

#include <string>

#include "runtime/base/logger.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"
#include "tools/accel-run/exit_code.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

// " --input x=x.npy --output y=y.npy", for messages.
std::string DescribeInputs(const planpb::Manifest& manifest);

// Everything that can be checked is before the plan computes. Outputs appear
// complete or not at all. Errors go to `logger`.
ExitCode RunInference(runtime::Vfs& vfs, const RunOptions& options,
                      const std::string& python_environment,
                      const runtime::Logger& logger);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_INFERENCE_RUN_H_
