// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small functions that between them use every pure operation of the dialect, in
// all variants of its attributes and at odd sizes: what the tests of the
// interpreter and of the gradient rules run.
#ifndef ACCEL_TEST_DIALECTS_INTERPRETER_OPCASES_H
#define ACCEL_TEST_DIALECTS_INTERPRETER_OPCASES_H

#include <string>
#include <vector>

namespace accel::test {

/// A function `@f` on f64 tensors; arguments may carry `accel.value` and
/// `accel.range`.
struct OpCase {
  std::string name;
  std::string text;
};

std::vector<OpCase> getElementwiseCases();
std::vector<OpCase> getShapeCases();
std::vector<OpCase> getReductionCases();
std::vector<OpCase> getLinearCases();
std::vector<OpCase> getNormalizationCases();
std::vector<OpCase> getAttentionCases();

/// All of the above: functions that are differentiable by their float
/// arguments.
std::vector<OpCase> getDifferentiableCases();

/// Functions of operations without a gradient.
std::vector<OpCase> getOtherCases();

/// `@f` with `signature` and `body`, which ends with the values that are
/// returned.
OpCase makeCase(std::string name, const std::string &arguments,
                const std::string &results, const std::string &body,
                const std::string &returned);

} // namespace accel::test

#endif
