// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of single values of the command line. Their errors say what was
// expected and what was found: "expected a whole number, got '10x'".
#ifndef ACCEL_TOOLS_COMMAND_LINE_VALUE_CHECKS_H_
#define ACCEL_TOOLS_COMMAND_LINE_VALUE_CHECKS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accel::tools {

// Accepts a whole number in [lowest, highest], in decimal: 010 is ten.
CLI::Validator WholeNumber(
    int64_t lowest, int64_t highest = std::numeric_limits<int64_t>::max());

// Accepts a finite number in [lowest, highest].
CLI::Validator Number(double lowest,
                      double highest = std::numeric_limits<double>::infinity());

// Accepts one of the words; of another one the error says what was probably
// meant.
CLI::Validator OneOf(const std::vector<std::string>& choices);

// "a, b or c"
std::string ListChoices(const std::vector<std::string>& choices);

// The word that `text` was probably meant to be; nothing if none is near.
std::optional<std::string> FindNearest(std::string_view text,
                                       const std::vector<std::string>& words);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_VALUE_CHECKS_H_
