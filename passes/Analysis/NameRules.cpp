// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of rules, and the search for the one that decides.
#include "passes/Analysis/NameRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

FailureOr<NameRules> NameRules::parse(ArrayRef<std::string> texts,
                                      const Words &words, EmitError emitError) {
  NameRules parsed;
  for (StringRef rule : texts) {
    auto [kind, pattern] = rule.split('=');
    llvm::Regex regex(pattern);
    std::string problem;
    if (kind != words.choosing && kind != words.other) {
      problem = ("it begins with neither " + words.choosing + "= nor " +
                 words.other + "=")
                    .str();
    } else if (pattern.empty()) {
      problem = "the pattern is empty";
    } else {
      regex.isValid(problem);
    }
    if (!problem.empty()) {
      return emitError() << "rule '" << rule << "': expected " << words.choosing
                         << "=REGEX or " << words.other
                         << "=REGEX, got one that cannot be read: " << problem;
    }
    std::string text = (words.prefix + kind + "='" + pattern + "'").str();
    parsed.rules.push_back(
        {kind == words.choosing, std::move(regex), std::move(text)});
  }
  return parsed;
}

const NameRule *NameRules::match(ArrayRef<StringRef> names) {
  const NameRule *last = nullptr;
  for (NameRule &rule : rules) {
    if (llvm::any_of(names,
                     [&](StringRef name) { return rule.regex.match(name); })) {
      rule.hasMatched = true;
      last = &rule;
    }
  }
  return last;
}

LogicalResult NameRules::verifyMatched(
    llvm::function_ref<void(const NameRule &rule)> complain) const {
  bool hasFailed = false;
  for (const NameRule &rule : rules) {
    if (!rule.hasMatched) {
      hasFailed = true;
      complain(rule);
    }
  }
  return failure(hasFailed);
}
