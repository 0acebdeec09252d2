// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done to the sample plan, and the message that refuses it then.
#ifndef ACCEL_TEST_RUNTIME_PLAN_VALIDATE_DAMAGE_H_
#define ACCEL_TEST_RUNTIME_PLAN_VALIDATE_DAMAGE_H_

#include <functional>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"

namespace accel::testing {

struct Damage {
  std::string name;
  std::function<void(SamplePlan&)> change;
  std::string message;
};

inline void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.name;
}

inline std::string NameOfDamage(
    const ::testing::TestParamInfo<Damage>& damage) {
  return damage.param.name;
}

inline void ExpectRefused(const Damage& damage) {
  SamplePlan plan = MakeSamplePlan();
  damage.change(plan);
  const auto view = ViewOf(plan);
  ASSERT_FALSE(view.ok());
  EXPECT_THAT(std::string(view.status().message()),
              ::testing::HasSubstr(damage.message));
}

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_VALIDATE_DAMAGE_H_
