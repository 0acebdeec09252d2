// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option that adds adapters to a model.
#ifndef ACCEL_TOOLS_ACCELC_ADAPTEROPTION_H
#define ACCEL_TOOLS_ACCELC_ADAPTEROPTION_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

namespace accel {

/// Borrows: both first arguments, until the command line is parsed.
void addAdapterOption(CLI::App &app, CommandLine &line, const char *group);

} // namespace accel

#endif
