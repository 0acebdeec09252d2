// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules that give parameters a learning rate and a weight decay of their own,
// as the command line has them. Includes nothing of MLIR, so that a command
// line can check them.
#ifndef ACCEL_PASSES_ACCUMULATE_GROUPRULE_H
#define ACCEL_PASSES_ACCUMULATE_GROUPRULE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace accel {

/// `REGEX:lr=0.1x,decay=0`: one property at least.
struct GroupRule {
  std::string pattern;
  std::optional<double> factor; ///< of the learning rate
  std::optional<double> rate;   ///< itself, where it is the largest
  std::optional<double> decay;

  /// The factor, where `lr` is the largest rate of the others.
  std::optional<double> getFactor(double lr) const {
    return rate ? *rate / lr : factor;
  }
};

/// Nothing if `text` is no rule; `problem` says why.
std::optional<GroupRule> parseGroupRule(llvm::StringRef text,
                                        std::string &problem);

} // namespace accel

#endif
