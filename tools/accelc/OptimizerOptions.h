// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that the table of optimizers asks for: each number of each of
// them has one, and its default is that of the optimizer that is chosen.
#ifndef ACCEL_TOOLS_ACCELC_OPTIMIZEROPTIONS_H
#define ACCEL_TOOLS_ACCELC_OPTIMIZEROPTIONS_H

#include "tools/accelc/CommandLine.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

/// In the order of the table.
std::vector<std::string> getOptimizerNames();

/// `adamw (decoupled decay) or sgd (with momentum)`
std::string describeOptimizers();

/// The numbers that any optimizer reads, each once.
std::vector<std::string> getOptimizerNumbers();

/// The optimizers that read number `name`.
std::vector<std::string> getOptimizersWith(const std::string &name);

/// Declares an option for each number. The help names every optimizer's
/// default; what is said of a parsed command line, as by --print-config, is the
/// default of the optimizer in force, and none where that does not read it.
/// Borrows: both arguments, until the command line is parsed.
void addOptimizerNumbers(CLI::App &app, CommandLine &line, const char *group);

/// Declares which optimizer there is, and what a run does after a step that is
/// not finite. Borrows: both arguments, until the command line is parsed.
void addOptimizerKind(CLI::App &app, CommandLine &line, const char *group);
void addNonFinitePolicy(CLI::App &app, CommandLine &line, const char *group);

} // namespace accel

#endif
