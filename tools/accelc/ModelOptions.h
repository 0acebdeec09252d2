// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that say what is trained: shapes, objective, parameters.
#ifndef ACCEL_TOOLS_ACCELC_MODELOPTIONS_H
#define ACCEL_TOOLS_ACCELC_MODELOPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

namespace accel {

/// Borrow: both first arguments, until the command line is parsed.
void addShapeOptions(CLI::App &app, CommandLine &line, const char *group);
void addParameterOptions(CLI::App &app, CommandLine &line, const char *group);

} // namespace accel

#endif
