// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations that change training, made of ones that do not.
#ifndef ACCEL_TEST_RUNTIME_PLAN_EVALUATION_DAMAGE_H_
#define ACCEL_TEST_RUNTIME_PLAN_EVALUATION_DAMAGE_H_

#include <string>

#include "test/runtime/plan/plan_program.h"

namespace accel::testing {

// Lets the function that evaluates write every buffer that steps keep, one at a
// time, and lets steps and evaluations begin with the sums of the last one.
// Prints how many were refused. Fails if one is accepted, or refused without
// its instruction and buffer, or if the function may not write what steps write
// anew.
void DamageEvaluation(const Program& good);

// Writes the plan with an evaluation that sets the first parameters to zero.
void WriteEvaluationThatTrains(const Program& good, const std::string& path);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_EVALUATION_DAMAGE_H_
