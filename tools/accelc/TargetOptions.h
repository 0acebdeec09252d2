// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that say what code is made for.
#ifndef ACCEL_TOOLS_ACCELC_TARGETOPTIONS_H
#define ACCEL_TOOLS_ACCELC_TARGETOPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

/// Borrow: both first arguments, until the command line is parsed.
void addTargetOptions(CLI::App &app, CommandLine &line, const char *group);
void addEmit(CLI::App &app, CommandLine &line, const char *group);

/// What is wrong with --emit beside other options.
void findComplaintsAboutCode(const CommandLine &line,
                             std::vector<std::string> &complaints);

} // namespace accel

#endif
