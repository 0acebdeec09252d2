// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of plans that answer instead of training.
#ifndef ACCEL_TOOLS_ACCELC_INFERENCEOPTIONS_H
#define ACCEL_TOOLS_ACCELC_INFERENCEOPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

/// Borrow: both first arguments, until the command line is parsed.
void addInferenceOptions(CLI::App &app, CommandLine &line, const char *group);

/// What is wrong with --inference beside other options: those of `trainingOnly`
/// groups say how to train.
void findComplaintsAboutInference(const CLI::App &app, const CommandLine &line,
                                  const std::vector<std::string> &trainingOnly,
                                  std::vector<std::string> &complaints);

} // namespace accel

#endif
