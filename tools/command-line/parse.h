// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tools parse their command lines, and what they say of a wrong one:
// expected, got, remedy, and all that is wrong at once where that can be told.
#ifndef ACCEL_TOOLS_COMMAND_LINE_PARSE_H_
#define ACCEL_TOOLS_COMMAND_LINE_PARSE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accel::tools {

// An option that people know from other programs and write here.
struct FamiliarOption {
  // Long names with dashes; underscores and capitals count as these.
  std::vector<std::string> names;
  // What to write instead. VALUE in it becomes the number that was written.
  std::string answer;
};

struct CommandLineErrors {
  int exit_status;
  std::string remedy;  // "accel-data --help shows examples"
  std::vector<FamiliarOption> familiar = {};
};

// Parses; a value is the exit status of a tool that is done: help or
// --print-config was asked for, or the command line is wrong and the errors
// printed. @FILE stands for the words in a file. CLI11 reports by exceptions;
// they end here.
std::optional<int> ParseCommandLine(CLI::App& app, int argc, char** argv,
                                    const CommandLineErrors& errors);

// The same of words without the program's name, in which no @FILE is looked
// for.
std::optional<int> ParseWords(CLI::App& app,
                              const std::vector<std::string>& words,
                              const CommandLineErrors& errors);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_PARSE_H_
