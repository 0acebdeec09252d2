// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @FILE on a command line: the words in a file, for lines that are too long or
// that a build system shall watch.
#ifndef ACCEL_TOOLS_COMMAND_LINE_RESPONSE_FILE_H_
#define ACCEL_TOOLS_COMMAND_LINE_RESPONSE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::tools {

struct CommandLineWords {
  std::vector<std::string> words;  // without the program's name
  std::vector<std::string> files;  // that words came from, each once
};

// The words of a command line, those of files in the place of each @FILE; such
// a file may name others. Words in a file are parted by blanks and lines;
// quotes
// '...' and "..." and a backslash keep them together, as in a shell.
absl::StatusOr<CommandLineWords> ExpandResponseFiles(int argc, char** argv);

// The words of one file's text.
absl::StatusOr<std::vector<std::string>> SplitWords(absl::string_view text);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_RESPONSE_FILE_H_
