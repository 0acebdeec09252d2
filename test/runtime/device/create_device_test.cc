// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that a rank gets.
#include "runtime/device/create_device.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::DeviceOptions;

int ThreadsOf(const DeviceOptions& options) {
  const auto vfs = runtime::MakePosixVfs();
  return runtime::CreateDevice(*vfs, options).value()->threads();
}

TEST(CreateDeviceTest, RanksShareTheCoresUnlessTheThreadsAreGiven) {
  DeviceOptions options;
  const int cores = runtime::AvailableCores();
  EXPECT_EQ(ThreadsOf(options), cores);
  options.ranks = 2;
  EXPECT_EQ(ThreadsOf(options), std::max(1, cores / 2));
  options.ranks = 1000;
  EXPECT_EQ(ThreadsOf(options), 1);
  options.threads = 3;
  EXPECT_EQ(ThreadsOf(options), 3);
}

TEST(CreateDeviceTest, SaysWhatItIs) {
  const auto vfs = runtime::MakePosixVfs();
  DeviceOptions options;
  options.threads = 1;
  ASSERT_OK_AND_ASSIGN(const auto device, runtime::CreateDevice(*vfs, options));
  EXPECT_THAT(device->Describe(), ::testing::EndsWith(", 1 thread"));
  EXPECT_GT(device->RooflineMemoryBytes(), 0u);
}

}  // namespace
}  // namespace accel::testing
