// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the oracle of an optimizer computes on.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ORACLESEGMENT_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ORACLESEGMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>
#include <vector>

namespace accel {

/// A segment, or a parameter where there are no segments, in double.
struct OracleSegment {
  /// The hyperparameters by name.
  const llvm::StringMap<double> &numbers;
  double updates; ///< that came before
  double rate;    ///< learning rate of this step

  llvm::MutableArrayRef<double> parameters;
  llvm::ArrayRef<double> gradient; ///< scaled and clipped
  double decay;                    ///< weight decay of these parameters
  /// What the optimizer keeps, in the order of its slots.
  llvm::SmallVector<std::vector<double>, 4> slots;

  double get(llvm::StringRef name) const {
    auto found = numbers.find(name);
    assert(found != numbers.end() && "not a number of this optimizer");
    return found->second;
  }
};

} // namespace accel

#endif
