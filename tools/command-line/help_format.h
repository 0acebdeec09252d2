// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tool's --help is laid out: what a first user needs comes first.
#ifndef ACCEL_TOOLS_COMMAND_LINE_HELP_FORMAT_H_
#define ACCEL_TOOLS_COMMAND_LINE_HELP_FORMAT_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>

namespace accel::tools {

// Usage, what the tool does, the examples (the first paragraph of the app's
// footer, if it begins so), arguments, commands, options in their groups,
// --help and --version behind all others, the rest of the footer. Descriptions
// begin at `column` and break between words.
std::shared_ptr<CLI::FormatterBase> MakeHelpFormatter(size_t column = 30);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_HELP_FORMAT_H_
