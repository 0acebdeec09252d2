// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of single values: their errors say what was expected, what was found,
// and show a value that would do.
#ifndef ACCEL_TOOLS_ACCELC_VALIDATORS_H
#define ACCEL_TOOLS_ACCELC_VALIDATORS_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace accel {

/// Accepts a finite number in [lowest, bound). `range` says so in words.
CLI::Validator numberFrom(double lowest, double bound, const std::string &range,
                          const std::string &example);

/// Accepts a whole number from `lowest` to 2^31.
CLI::Validator wholeNumberFrom(int64_t lowest, const std::string &example);

/// Accepts a positive number of bytes, or of units like GiB and GB, and makes
/// bytes of it.
CLI::Validator byteCount(const std::string &example);

/// Accepts any text but an empty one, which is mostly a variable of a script
/// that is not set.
CLI::Validator notEmpty(const std::string &expected,
                        const std::string &example);

/// Accepts a POSIX extended regular expression that is not empty.
CLI::Validator regularExpression(const std::string &example);

/// Accepts 1 and 2; says of 3 what does it.
CLI::Validator zeroStage();

/// Accepts a list of code variants; says of others what there is.
CLI::Validator target();

/// Accepts `auto`, the built-in objectives and `output:NAME`.
CLI::Validator objective();

/// Accepts text and json; what a flag without a value gives means text.
CLI::Validator timeReport();

} // namespace accel

#endif
