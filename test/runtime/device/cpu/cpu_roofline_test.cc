// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a processor can do at most, and what that means for a kernel.
#include "runtime/device/cpu/cpu_roofline.h"

#include <gtest/gtest.h>

namespace accel::runtime {
namespace {

TEST(CpuRooflineTest, IsThatOfAMachineOfThisCentury) {
  const ThreadPool pool;
  const auto roofline = MeasureCpuRoofline(pool);
  ASSERT_TRUE(roofline.ok()) << roofline.status();
  // Between a hundredth and a hundred times a core of today.
  EXPECT_GT(roofline->flops_per_second, 1e8);
  EXPECT_LT(roofline->flops_per_second, 1e13);
  EXPECT_GT(roofline->bytes_per_second, 1e7);
  EXPECT_LT(roofline->bytes_per_second, 1e13);
}

TEST(RooflineTest, TheLongerOfComputingAndMovingCounts) {
  const Roofline roofline{100.0, 10.0};
  EXPECT_EQ(roofline.Seconds(200, 10), 2.0);
  EXPECT_EQ(roofline.Seconds(200, 50), 5.0);
}

}  // namespace
}  // namespace accel::runtime
