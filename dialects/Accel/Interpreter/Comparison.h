// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accel.compare says of two elements.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_COMPARISON_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_COMPARISON_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Of NaN only `NE` holds.
template <typename T> bool holds(ComparePredicate predicate, T lhs, T rhs) {
  switch (predicate) {
  case ComparePredicate::EQ:
    return lhs == rhs;
  case ComparePredicate::NE:
    return lhs != rhs;
  case ComparePredicate::LT:
    return lhs < rhs;
  case ComparePredicate::LE:
    return lhs <= rhs;
  case ComparePredicate::GT:
    return lhs > rhs;
  case ComparePredicate::GE:
    return lhs >= rhs;
  }
  return false;
}

} // namespace accel

#endif
