// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the gradient of a case, by the dialect's rules, with central
// differences of its outputs, both in double.
#ifndef ACCEL_TEST_ONNX_GRADIENTRUN_H
#define ACCEL_TEST_ONNX_GRADIENTRUN_H

#include "test/onnx/Case.h"

#include <string>

namespace accel::test {

struct GradientOutcome {
  bool isRight = true;
  /// `gradient right`, or why there is none: `no floats go in`.
  std::string text;
  std::string detail; ///< of what is wrong
};

/// Requires: the case passes, with the inputs `bound` bound.
///
/// The outputs, times numbers that look random, are one number, whose
/// derivative by up to 24 elements of each float input is compared. Elements at
/// a kink or a jump have none, and are left out: there the differences on both
/// sides are not the same.
GradientOutcome checkGradient(const Case &subject,
                              const std::vector<std::string> &bound);

} // namespace accel::test

#endif
