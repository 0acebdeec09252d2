// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of plans that answer.
#ifndef ACCEL_TOOLS_ACCEL_RUN_INFERENCE_OPTIONS_H_
#define ACCEL_TOOLS_ACCEL_RUN_INFERENCE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/accel-run/options.h"

namespace accel::tools {

// Borrow: both, until the command line is parsed.
void AddInferenceOptions(CLI::App& app, RunOptions& options);

// Options that say how to train, besides those that ask.
void FindInferenceFaults(const CLI::App& app, const RunOptions& options,
                         std::vector<std::string>& complaints);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_INFERENCE_OPTIONS_H_
