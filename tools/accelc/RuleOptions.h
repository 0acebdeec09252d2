// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of options whose values are patterns: the order in which they are given
// is part of what they mean.
#ifndef ACCEL_TOOLS_ACCELC_RULEOPTIONS_H
#define ACCEL_TOOLS_ACCELC_RULEOPTIONS_H

#include "tools/command-line/config.h"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace accel {

/// An option, and what a rule of one of its patterns begins with.
struct RuleOption {
  const char *option;
  const char *rule;
};

inline constexpr RuleOption kTrainingRules[] = {{"--freeze", "freeze="},
                                                {"--train", "train="}};
inline constexpr RuleOption kPrecisionRules[] = {
    {"--precision-exclude", "exclude="}, {"--precision-include", "include="}};

/// The patterns of both options, in the order in which they were given.
std::vector<std::string> getRules(const CLI::App &app,
                                  const tools::ConfigFile &config,
                                  const RuleOption (&options)[2]);

/// Adds rules as the options that were given for them, without `--`.
void addWritten(const std::vector<std::string> &rules,
                const RuleOption (&options)[2],
                std::vector<std::pair<std::string, std::string>> &written);

} // namespace accel

#endif
