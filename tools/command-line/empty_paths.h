// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An empty path is mostly a variable of a script that is not set. It is never
// taken for an option that was not given.
#ifndef ACCEL_TOOLS_COMMAND_LINE_EMPTY_PATHS_H_
#define ACCEL_TOOLS_COMMAND_LINE_EMPTY_PATHS_H_

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <vector>

namespace accel::tools {

// A complaint about each of the options that was given an empty path.
// Requires: the command line is parsed.
inline std::vector<std::string> FindEmptyPaths(
    const CLI::App& app, std::initializer_list<const char*> options) {
  std::vector<std::string> complaints;
  for (const char* option : options) {
    if (app.count(option) > 0 && app[option]->as<std::string>().empty()) {
      complaints.push_back(std::string(option) +
                           ": expected a path, got an empty one; leave the "
                           "option out, or name a file");
    }
  }
  return complaints;
}

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_EMPTY_PATHS_H_
