// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions, errors, handles and their streams.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

TEST(HandleTest, TheVersionIsThatOfTheHeaders) {
  EXPECT_EQ(Dnn().cudnnGetVersion() / 10000, 9u);
  EXPECT_EQ(Dnn().cudnnGetCudartVersion(), 13000u);
}

TEST(HandleTest, HasAStream) {
  Handle handle = nullptr;
  cuda::StreamHandle stream = TheDoubles().stream;
  ASSERT_EQ(Dnn().cudnnCreate(&handle), kSuccess);
  EXPECT_EQ(Dnn().cudnnGetStream(handle, &stream), kSuccess);
  EXPECT_EQ(stream, nullptr) << "the default stream";
  EXPECT_EQ(Dnn().cudnnSetStream(handle, TheDoubles().stream), kSuccess);
  EXPECT_EQ(Dnn().cudnnGetStream(handle, &stream), kSuccess);
  EXPECT_EQ(stream, TheDoubles().stream);
  const auto no_stream = reinterpret_cast<cuda::StreamHandle>(uint64_t{0x1230});
  EXPECT_EQ(Dnn().cudnnSetStream(handle, no_stream), kBadParam);
  EXPECT_EQ(Dnn().cudnnGetStream(handle, nullptr), kBadParamNullPointer);
  EXPECT_EQ(Dnn().cudnnDestroy(handle), kSuccess);
  EXPECT_EQ(Dnn().cudnnDestroy(handle), kBadParam);
  EXPECT_EQ(Dnn().cudnnSetStream(handle, stream), kBadParam);
  EXPECT_EQ(Dnn().cudnnGetStream(handle, &stream), kBadParam);
  EXPECT_EQ(Dnn().cudnnCreate(nullptr), kBadParamNullPointer);
}

TEST(HandleTest, ErrorsHaveNamesAndReasons) {
  EXPECT_STREQ(Dnn().cudnnGetErrorString(kSuccess), "CUDNN_STATUS_SUCCESS");
  EXPECT_STREQ(Dnn().cudnnGetErrorString(kNotSupportedLayout),
               "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT");
  EXPECT_STREQ(Dnn().cudnnGetErrorString(1), "CUDNN_UNKNOWN_STATUS");
  EXPECT_EQ(Dnn().cudnnDestroy(nullptr), kBadParam);
  EXPECT_EQ(LastError(), "cudnnDestroy: there is no such handle to destroy");
  char text[8];
  Dnn().cudnnGetLastErrorString(text, sizeof text);
  EXPECT_STREQ(text, "cudnnDe");
}

// Each case needs a process of its own.
void Say(Status status) {
  std::fprintf(stderr, "status %d ", status);
  std::_Exit(0);
}

void CreateWithoutContext() {
  const Doubles doubles = OpenDoubles();
  Handle handle = nullptr;
  Say(doubles.dnn.cudnnCreate(&handle));
}

void FailSecondFinalize() {
  setenv("ACCEL_DOUBLE_FAIL", "cudnnBackendFinalize=4000@2", 1);
  const Case test;
  auto first = MakeTensor(1, test.x());
  Object tensor(kTensorDescriptor);
  Say(tensor.Finalize());
}

// A stream of the second device for a handle of the first.
void MixDevices() {
  setenv("ACCEL_DOUBLE_GPUS", "2", 1);
  const cuda::DriverFunctions& driver = Driver();
  cuda::DeviceOrdinal device = 0;
  cuda::Context context = nullptr;
  cuda::StreamHandle stream = nullptr;
  driver.cuDeviceGet(&device, 1);
  driver.cuDevicePrimaryCtxRetain(&context, device);
  driver.cuCtxSetCurrent(context);
  driver.cuStreamCreate(&stream, cuda::kStreamNonBlocking);
  Say(Dnn().cudnnSetStream(TheDoubles().handle, stream));
}

// The double has no default stream, as that of the driver has none.
void ExecuteOnDefaultStream() {
  const Case test;
  Graph graph(test);
  Status status = kSuccess;
  auto configuration = graph.Configure(0, &status);
  auto plan = MakePlan(*configuration, &status);
  const Numbers numbers(test);
  DeviceBuffer x(numbers.x.ToBytes()), w(numbers.w.ToBytes());
  DeviceBuffer y(numbers.y.ToBytes());
  Object pack(kVariantPackDescriptor);
  Pack(pack, {kX, kW, kY}, {x.at(), w.at(), y.at()}, nullptr);
  Dnn().cudnnSetStream(TheDoubles().handle, nullptr);
  Say(Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get()));
}

TEST(HandleDeathTest, WhatADeviceRefuses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exits = testing::ExitedWithCode(0);
  EXPECT_EXIT(CreateWithoutContext(), exits, "status 1001 ");
  EXPECT_EXIT(FailSecondFinalize(), exits, "status 4000 ");
  EXPECT_EXIT(MixDevices(), exits, "status 2007 ");
  EXPECT_EXIT(ExecuteOnDefaultStream(), exits, "status 5001 ");
}

}  // namespace
}  // namespace accel::cuda_double::dnn
