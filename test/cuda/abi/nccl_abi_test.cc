// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of NCCL against NVIDIA's.
#include <gtest/gtest.h>
#include <nccl.h>

#include <cstddef>

#include "runtime/device/cuda/abi/nccl.h"
#include "test/cuda/abi/same_abi.h"

namespace accel::testing {
namespace {

namespace ours = runtime::cuda;

#define ACCEL_CHECK(result, name, ...)                                         \
  static_assert(                                                               \
      SameAbi<decltype(ours::NcclFunctions::name), decltype(&::name)>::value,  \
      #name);
ACCEL_NCCL_FUNCTIONS(ACCEL_CHECK)
#undef ACCEL_CHECK

static_assert(sizeof(ours::NcclUniqueId) == sizeof(ncclUniqueId));
static_assert(offsetof(ours::NcclConfig, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(ours::NcclConfig, magic) ==
              offsetof(ncclConfig_t, magic));
static_assert(offsetof(ours::NcclConfig, version) ==
              offsetof(ncclConfig_t, version));
static_assert(offsetof(ours::NcclConfig, blocking) ==
              offsetof(ncclConfig_t, blocking));

TEST(NcclAbiTest, NumbersAreNvidias) {
  const ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(ours::NcclConfig().magic, config.magic);
  EXPECT_EQ(ours::kNcclSuccess, ncclSuccess);
  EXPECT_EQ(ours::kNcclUnhandledCudaError, ncclUnhandledCudaError);
  EXPECT_EQ(ours::kNcclSystemError, ncclSystemError);
  EXPECT_EQ(ours::kNcclInternalError, ncclInternalError);
  EXPECT_EQ(ours::kNcclInvalidArgument, ncclInvalidArgument);
  EXPECT_EQ(ours::kNcclInvalidUsage, ncclInvalidUsage);
  EXPECT_EQ(ours::kNcclRemoteError, ncclRemoteError);
  EXPECT_EQ(ours::kNcclInProgress, ncclInProgress);
  EXPECT_EQ(ours::kNcclUint8, ncclUint8);
  EXPECT_EQ(ours::kNcclInt64, ncclInt64);
  EXPECT_EQ(ours::kNcclFloat32, ncclFloat32);
  EXPECT_EQ(ours::kNcclFloat64, ncclFloat64);
  EXPECT_EQ(ours::kNcclSum, ncclSum);
  EXPECT_EQ(ours::kNcclMax, ncclMax);
  EXPECT_EQ(ours::kNcclMin, ncclMin);
}

} // namespace
} // namespace accel::testing
