// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules with patterns of names, of which the last one that matches decides.
#ifndef ACCEL_PASSES_ANALYSIS_NAMERULES_H
#define ACCEL_PASSES_ANALYSIS_NAMERULES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Regex.h"

#include <string>
#include <vector>

namespace accel {

struct NameRule {
  bool chooses;
  llvm::Regex regex;
  std::string text; ///< as on the command line: `--freeze='wte'`
  bool hasMatched = false;
};

/// Rules `train=REGEX` and `freeze=REGEX`, for instance: those of the first
/// kind choose, those of the second do not. What no rule matches does the
/// opposite of the first rule; without rules everything is chosen.
class NameRules {
public:
  /// The words of both kinds, and what stands in front of them on the command
  /// line, `--`.
  struct Words {
    llvm::StringRef choosing, other, prefix;
  };
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

  /// Fails after an error for the first rule that cannot be read.
  static llvm::FailureOr<NameRules> parse(llvm::ArrayRef<std::string> rules,
                                          const Words &words,
                                          EmitError emitError);

  bool empty() const { return rules.empty(); }

  /// The last rule that matches one of `names`; null: none does. All that match
  /// one are marked.
  const NameRule *match(llvm::ArrayRef<llvm::StringRef> names);
  /// Whether that which `last` was found for is chosen.
  bool isChosen(const NameRule *last) const {
    return last ? last->chooses : rules.empty() || !rules.front().chooses;
  }

  /// Fails after `complain` about each rule that is not marked.
  llvm::LogicalResult
  verifyMatched(llvm::function_ref<void(const NameRule &rule)> complain) const;

private:
  std::vector<NameRule> rules;
};

} // namespace accel

#endif
