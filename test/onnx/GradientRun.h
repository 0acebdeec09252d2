// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the gradient of a case, by the dialect's rules, with central
// differences of its outputs, both in double, and what compiled code makes of
// it with the interpreter.
#ifndef ACCEL_TEST_ONNX_GRADIENTRUN_H
#define ACCEL_TEST_ONNX_GRADIENTRUN_H

#include "test/onnx/Case.h"
#include "test/onnx/CompiledGradient.h"

#include <string>

namespace accel::test {

struct GradientOutcome {
  bool isRight = true;
  /// `gradient right`, or why there is none: `no floats go in`.
  std::string text;
  std::string detail; ///< what is wrong, or how much was compared
};

/// Requires: the case passes, with the inputs `bound` bound.
///
/// The outputs, times numbers that look random, are one number, whose
/// derivative by up to 24 elements of each float input and weight is compared.
/// Elements at a kink or a jump have none, and are left out: there the
/// differences on both sides are not the same. All elements of what `compiled`
/// gives are compared with the interpreter's, unless it is null.
GradientOutcome checkGradient(const Case &subject,
                              const std::vector<std::string> &bound,
                              CompiledGradient *compiled);

} // namespace accel::test

#endif
