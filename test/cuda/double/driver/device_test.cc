// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver, its devices and contexts, what the environment says of them, and
// failures on request.
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

using DeviceTest = DriverTest;

TEST_F(DeviceTest, NothingWorksBeforeInit) {
  Load();
  int count = 0;
  EXPECT_EQ(cu.cuDeviceGetCount(&count), kErrorNotInitialized);
  EXPECT_EQ(cu.cuCtxSetCurrent(nullptr), kErrorNotInitialized);
  DevicePointer pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 4), kErrorNotInitialized);
  EXPECT_EQ(cu.cuInit(1), kErrorInvalidValue);
  EXPECT_EQ(cu.cuInit(0), kSuccess);
  EXPECT_EQ(cu.cuInit(0), kSuccess);
  EXPECT_EQ(cu.cuDeviceGetCount(&count), kSuccess);
  EXPECT_EQ(count, 1);
}

TEST_F(DeviceTest, NoDevice) {
  Load({{"GPUS", "0"}});
  EXPECT_EQ(cu.cuInit(0), kErrorNoDevice);
  int count = 0;
  EXPECT_EQ(cu.cuDeviceGetCount(&count), kErrorNotInitialized);
}

TEST_F(DeviceTest, Properties) {
  Open({{"GPUS", "2"},
        {"CAPABILITY", "9.0,8.6"},
        {"MEMORY", "4096"},
        {"DRIVER", "12040"}});
  int value = 0;
  EXPECT_EQ(cu.cuDriverGetVersion(&value), kSuccess);
  EXPECT_EQ(value, 12040);
  const auto attribute = [&](int which, DeviceOrdinal device) {
    EXPECT_EQ(cu.cuDeviceGetAttribute(&value, which, device), kSuccess);
    return value;
  };
  EXPECT_EQ(attribute(kAttributeComputeCapabilityMajor, 0), 9);
  EXPECT_EQ(attribute(kAttributeComputeCapabilityMajor, 1), 8);
  EXPECT_EQ(attribute(kAttributeComputeCapabilityMinor, 1), 6);
  EXPECT_GT(attribute(kAttributeMultiprocessorCount, 0), 0);
  EXPECT_NE(attribute(kAttributePciBusId, 0), attribute(kAttributePciBusId, 1));
  EXPECT_EQ(attribute(kAttributePciDeviceId, 0), 0);
  EXPECT_EQ(cu.cuDeviceGetAttribute(&value, 9999, 0), kErrorInvalidValue);
  EXPECT_EQ(cu.cuDeviceGetAttribute(&value, 75, 2), kErrorInvalidDevice);
  DeviceOrdinal device = -1;
  EXPECT_EQ(cu.cuDeviceGet(&device, 1), kSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cu.cuDeviceGet(&device, 2), kErrorInvalidDevice);
  char name[64] = {};
  EXPECT_EQ(cu.cuDeviceGetName(name, sizeof(name), 0), kSuccess);
  EXPECT_THAT(name, HasSubstr("9.0"));
  EXPECT_EQ(cu.cuDeviceGetName(name, 3, 0), kSuccess);
  EXPECT_EQ(std::strlen(name), 2u);
  Uuid first = {};
  Uuid second = {};
  EXPECT_EQ(cu.cuDeviceGetUuid_v2(&first, 0), kSuccess);
  EXPECT_EQ(cu.cuDeviceGetUuid_v2(&second, 1), kSuccess);
  EXPECT_NE(std::memcmp(&first, &second, sizeof(first)), 0);
  size_t bytes = 0;
  EXPECT_EQ(cu.cuDeviceTotalMem_v2(&bytes, 0), kSuccess);
  EXPECT_EQ(bytes, 4096u);
}

TEST_F(DeviceTest, ErrorsHaveNames) {
  Load();
  const char* text = nullptr;
  EXPECT_EQ(cu.cuGetErrorName(kErrorInvalidPtx, &text), kSuccess);
  EXPECT_STREQ(text, "CUDA_ERROR_INVALID_PTX");
  EXPECT_EQ(cu.cuGetErrorString(kErrorOutOfMemory, &text), kSuccess);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cu.cuGetErrorName(12345, &text), kErrorInvalidValue);
  EXPECT_EQ(text, nullptr);
}

TEST_F(DeviceTest, EveryThreadNeedsAContext) {
  Open();
  size_t free = 0;
  size_t total = 0;
  EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), kSuccess);
  std::thread([&] {
    EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), kErrorInvalidContext);
    EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
    EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), kSuccess);
  }).join();
  EXPECT_EQ(cu.cuCtxSetCurrent(nullptr), kSuccess);
  EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), kErrorInvalidContext);
}

TEST_F(DeviceTest, ContextsEndWithTheLastRelease) {
  Open();
  const StreamHandle stream = NewStream();
  Context again = nullptr;
  EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&again, 0), kSuccess);
  EXPECT_EQ(again, context);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(stream), kSuccess);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(stream), kErrorInvalidContext);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), kErrorInvalidContext);
  EXPECT_EQ(cu.cuCtxSetCurrent(context), kErrorInvalidContext);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&again, 0), kSuccess);
  EXPECT_EQ(cu.cuCtxSetCurrent(again), kSuccess);
  // The stream belonged to the context that has ended.
  EXPECT_EQ(cu.cuStreamQuery(stream), kErrorInvalidHandle);
}

TEST_F(DeviceTest, DevicesDoNotShareMemoryOrStreams) {
  Open({{"GPUS", "2"}});
  const DevicePointer first = NewNumbers(4);
  const StreamHandle stream_of_first = NewStream();
  Context second = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&second, 1), kSuccess);
  ASSERT_EQ(cu.cuCtxSetCurrent(second), kSuccess);
  EXPECT_EQ(cu.cuMemsetD32Async(first, 0, 4, stream_of_first),
            kErrorInvalidHandle);
  EXPECT_EQ(cu.cuMemsetD32Async(first, 0, 4, NewStream()),
            kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("in no allocation of GPU 1"));
  // The other context is whole.
  ASSERT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
  EXPECT_EQ(Read(first, 4), std::vector<uint32_t>(4, 0));
}

TEST_F(DeviceTest, FailuresOnRequest) {
  Open({{"FAIL", "cuMemAlloc_v2=2@2,cuEventCreate=999@1,cublasLtMatmul=7@1"}});
  DevicePointer pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 4), kSuccess);
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 4), kErrorOutOfMemory);
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 4), kSuccess);
  EventHandle event = nullptr;
  EXPECT_EQ(cu.cuEventCreate(&event, 0), kErrorUnknown);
  EXPECT_EQ(cu.cuEventCreate(&event, 0), kSuccess);
  EXPECT_EQ(fails("cublasLtMatmul"), 7);
  EXPECT_EQ(fails("cublasLtMatmul"), 0);
  EXPECT_EQ(fails("cublasLtCreate"), 0);
}

// What nm says the library exports.
std::set<std::string> Exports() {
  std::set<std::string> names;
  FILE* pipe = popen("nm -D --defined-only " ACCEL_CUDA_DOUBLE, "r");
  char line[512];
  while (pipe != nullptr && std::fgets(line, sizeof(line), pipe) != nullptr) {
    std::string name = std::strrchr(line, ' ') + 1;
    name.pop_back();
    names.insert(name);
  }
  EXPECT_EQ(pclose(pipe), 0);
  return names;
}

TEST_F(DeviceTest, ExportsNothingElse) {
  std::set<std::string> expected = {"accel_double_current_capability",
                                    "accel_double_current_gpu",
                                    "accel_double_enqueue",
                                    "accel_double_fails",
                                    "accel_double_holds",
                                    "accel_double_progress",
                                    "accel_double_report",
                                    "accel_double_stream_state"};
#define ACCEL_DOUBLE_INSERT(name, ...) expected.insert(#name);
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_DOUBLE_INSERT)
#undef ACCEL_DOUBLE_INSERT
  EXPECT_EQ(Exports(), expected);
}

TEST_F(DeviceTest, MalformedConfigurations) {
  const std::pair<const char*, const char*> kMalformed[] = {
      {"GPUS", "two"},
      {"GPUS", "65"},
      {"CAPABILITY", "9"},
      {"CAPABILITY", "9.0,8.0"},
      {"MEMORY", "0"},
      {"MEMORY", "1GiB"},
      {"DRIVER", ""},
      {"SEED", "-1"},
      {"FAIL", "cuInit"},
      {"FAIL", "cuInit=2@0"},
      {"FAIL", "cuMemAlloc=2@1"},
      {"STALL", "kernel"},
      {"STALL", "@1"},
      {"DROP_WAIT", "0"},
      {"HOST_ORDER", "both"},
      {"SPEED", "1"},
  };
  for (const auto& [name, value] : kMalformed) {
    Load({{name, value}});
    EXPECT_DEATH(cu.cuInit(0), std::string("ACCEL_DOUBLE_") + name + "=" +
                                   value + ": expected")
        << name << "=" << value;
    Close();
  }
  Load({{"BLAS_ANYTHING", "1"}});
  EXPECT_EQ(cu.cuInit(0), kSuccess);
}

}  // namespace
}  // namespace accel::cuda_double
