// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of what is updated differently: rates and decays by name or by
// layer, and averages.
#ifndef ACCEL_TOOLS_ACCELC_GROUPOPTIONS_H
#define ACCEL_TOOLS_ACCELC_GROUPOPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

/// Declares them. Borrows: both arguments, until the command line is parsed.
void addGroupOptions(CLI::App &app, CommandLine &line, const char *group);

/// Adds what is wrong with them together with other options.
void findComplaintsAboutGroups(const CommandLine &line,
                               std::vector<std::string> &complaints);

} // namespace accel

#endif
