// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/roof.h"

#include <gtest/gtest.h>

namespace accel::runtime {
namespace {

TEST(RoofTest, IsThatOfAMachineOfThisCentury) {
  const ThreadTeam team;
  const auto roof = MeasureRoof(team);
  ASSERT_TRUE(roof.ok()) << roof.status();
  // Between a hundredth and a hundred times a core of today.
  EXPECT_GT(roof->flops_per_second, 1e8);
  EXPECT_LT(roof->flops_per_second, 1e13);
  EXPECT_GT(roof->bytes_per_second, 1e7);
  EXPECT_LT(roof->bytes_per_second, 1e13);
}

}  // namespace
}  // namespace accel::runtime
