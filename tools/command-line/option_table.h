// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program's --help is made of, for programs: man pages and completions
// are made of it, so that no text exists twice.
#ifndef ACCEL_TOOLS_COMMAND_LINE_OPTION_TABLE_H_
#define ACCEL_TOOLS_COMMAND_LINE_OPTION_TABLE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace accel::tools {

// Adds the hidden option --option-table, which prints the options, arguments,
// commands and texts of `app` as one JSON object. Borrows `app`.
void AddOptionTable(CLI::App& app);

// The name of a check whose option takes one of these words. The table finds
// them by it, as the parser does not tell what a check accepts.
std::string NameOfChoices(const std::vector<std::string>& choices);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_OPTION_TABLE_H_
