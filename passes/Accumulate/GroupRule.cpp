// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties stand behind the last colon, since a pattern may contain some.
#include "passes/Accumulate/GroupRule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using llvm::StringRef;

namespace accel {
namespace {

/// A finite number that is not negative.
std::optional<double> parseAmount(StringRef text) {
  double value = 0;
  bool isAmount =
      !text.getAsDouble(value) && std::isfinite(value) && value >= 0;
  return isAmount ? std::optional(value) : std::nullopt;
}

/// Adds `NAME=VALUE` to the rule; returns what is wrong with it.
std::string addProperty(StringRef text, GroupRule &rule) {
  auto [name, value] = text.split('=');
  if (name != "lr" && name != "decay") {
    return "expected lr=X or decay=X behind the colon, got '" + text.str() +
           "'";
  }
  bool isFactor = name == "lr" && value.consume_back("x");
  std::optional<double> &amount = isFactor       ? rule.factor
                                  : name == "lr" ? rule.rate
                                                 : rule.decay;
  if (amount || (name == "lr" && (rule.factor || rule.rate))) {
    return "expected one " + name.str() + ", got several";
  }
  amount = parseAmount(value);
  return amount ? ""
                : "expected a number that is not negative" +
                      std::string(name == "lr" ? ", or a factor such as 0.1x"
                                               : "") +
                      ", got '" + text.str() + "'";
}

} // namespace

std::optional<GroupRule> parseGroupRule(StringRef text, std::string &problem) {
  auto [pattern, properties] = text.rsplit(':');
  GroupRule rule{pattern.str(), {}, {}, {}};
  if (properties.empty()) {
    problem = "expected a pattern, a colon and a property";
  } else if (pattern.empty()) {
    problem = "the pattern is empty";
  } else {
    llvm::Regex(pattern).isValid(problem);
  }
  llvm::SmallVector<StringRef> parts;
  properties.split(parts, ',');
  for (StringRef part : parts) {
    if (problem.empty()) {
      problem = addProperty(part, rule);
    }
  }
  return problem.empty() ? std::optional(rule) : std::nullopt;
}

} // namespace accel
