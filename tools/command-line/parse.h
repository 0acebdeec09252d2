// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime's tools parse their command lines.
#ifndef ACCEL_TOOLS_COMMAND_LINE_PARSE_H_
#define ACCEL_TOOLS_COMMAND_LINE_PARSE_H_

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "absl/strings/string_view.h"

namespace accel::tools {

struct CommandLineErrors {
  int exit_status;
  absl::string_view remedy; // "accel-data --help shows examples"
};

// Parses; a value is the exit status of a tool that is done: help was asked
// for, or the command line is wrong and the error printed. CLI11 reports by
// exceptions; they end here.
inline std::optional<int> ParseCommandLine(CLI::App &app, int argc, char **argv,
                                           const CommandLineErrors &errors) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::cerr << "error: " << error.what() << "; " << errors.remedy << "\n";
    return errors.exit_status;
  }
  return std::nullopt;
}

} // namespace accel::tools

#endif // ACCEL_TOOLS_COMMAND_LINE_PARSE_H_
