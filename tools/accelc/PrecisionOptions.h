// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that say what products compute in.
#ifndef ACCEL_TOOLS_ACCELC_PRECISIONOPTIONS_H
#define ACCEL_TOOLS_ACCELC_PRECISIONOPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

/// Borrows: both arguments, until the command line is parsed.
void addPrecisionOptions(CLI::App &app, CommandLine &line, const char *group);

/// What is wrong with them beside each other.
void findComplaintsAboutPrecision(const CLI::App &app, const CommandLine &line,
                                  std::vector<std::string> &complaints);

} // namespace accel

#endif
