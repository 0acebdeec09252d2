// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of stream capture.
#include <functional>
#include <thread>
#include <vector>

#include "test/cuda/double/driver/capture_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

// Codes that driver.h does not list.
constexpr Result kIllegalState = 401;
constexpr Result kMerge = 902;
constexpr Result kUnmatched = 903;
constexpr Result kCapturedEvent = 907;
constexpr Result kWrongThread = 908;

TEST_F(CaptureTest, Unjoined) {
  OpenWithSeed(0);
  Begin();
  Order(first, second);
  EXPECT_EQ(Fill(second, x, 8, 1), kSuccess);
  EXPECT_EQ(End(), kErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_THAT(ReportText(), HasSubstr("not joined"));
  // Both streams have left the capture.
  EXPECT_EQ(Wait(first), kSuccess);
  EXPECT_EQ(Wait(second), kSuccess);
  EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 0));
}

// A stream that is pulled in through another one is to be joined, too.
TEST_F(CaptureTest, UnjoinedThroughAnotherStream) {
  for (const bool joins : {false, true}) {
    OpenWithSeed(0);
    const StreamHandle third = NewStream();
    Begin();
    Order(first, second);
    Order(second, third);
    EXPECT_EQ(cu.cuStreamWriteValue32_v2(third, x, 1, 0), kSuccess);
    if (joins) {
      Order(third, second);
    }
    Order(second, first);
    EXPECT_EQ(End(), joins ? kSuccess : kErrorStreamCaptureUnjoined);
  }
}

TEST_F(CaptureTest, Isolation) {
  OpenWithSeed(0);
  const EventHandle event = NewEvent();
  EXPECT_EQ(cu.cuEventRecord(event, second), kSuccess);
  Begin();
  EXPECT_EQ(cu.cuStreamWaitEvent(first, event, 0),
            kErrorStreamCaptureIsolation);
  ExpectInvalid();
}

TEST_F(CaptureTest, QueriesOfWhatIsCaptured) {
  OpenWithSeed(0);
  Begin();
  EXPECT_EQ(cu.cuStreamQuery(first), kErrorStreamCaptureUnsupported);
  ExpectInvalid();
  const EventHandle event = NewEvent();
  Begin();
  EXPECT_EQ(cu.cuEventRecord(event, first), kSuccess);
  EXPECT_EQ(cu.cuEventQuery(event), kCapturedEvent);
  ExpectInvalid();
  // The capture has ended, and the event still stands for a part of it.
  EXPECT_EQ(cu.cuEventQuery(event), kCapturedEvent);
  EXPECT_EQ(cu.cuStreamWaitEvent(second, event, 0), kCapturedEvent);
  EXPECT_EQ(cu.cuEventRecord(event, second), kSuccess);
  EXPECT_EQ(WaitEvent(event), kSuccess);
}

TEST_F(CaptureTest, CallsThatMaySynchronise) {
  OpenWithSeed(0);
  DevicePointer memory = 0;
  void* pinned = NewPinned(1);
  const auto calls = std::vector<std::function<Result()>>{
      [&] { return cu.cuMemAlloc_v2(&memory, 4); },
      [&] { return cu.cuMemFree_v2(y); },
      [&] { return cu.cuMemHostAlloc(&pinned, 4, 0); },
      [&] { return cu.cuMemFreeHost(pinned); },
      [&] { return cu.cuEventQuery(NewEvent()); },
      [&] { return cu.cuMemcpyDtoHAsync_v2(&memory, x, 4, second); },
  };
  for (const auto& call : calls) {
    for (const int mode : {kCaptureModeGlobal, kCaptureModeThreadLocal}) {
      Begin(mode);
      EXPECT_EQ(call(), kErrorStreamCaptureUnsupported);
      ExpectInvalid();
    }
  }
  for (const int mode : {kCaptureModeGlobal, kCaptureModeThreadLocal}) {
    Begin(mode);
    std::thread([&] {
      EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
      EXPECT_EQ(cu.cuMemAlloc_v2(&memory, 4),
                mode == kCaptureModeGlobal ? kErrorStreamCaptureUnsupported
                                           : kSuccess);
    }).join();
    EXPECT_EQ(End(), mode == kCaptureModeGlobal ? kErrorStreamCaptureInvalidated
                                                : kSuccess);
  }
  Begin(kCaptureModeRelaxed);
  EXPECT_EQ(cu.cuMemAlloc_v2(&memory, 4), kSuccess);
  EXPECT_EQ(End(), kSuccess);
}

TEST_F(CaptureTest, PageableMemoryAndDestruction) {
  OpenWithSeed(0);
  uint32_t pageable[8] = {};
  Begin();
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, pageable, 32, first),
            kErrorStreamCaptureUnsupported);
  ExpectInvalid();
  Begin();
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(pageable, x, 32, first),
            kErrorStreamCaptureUnsupported);
  ExpectInvalid();
  Begin();
  EXPECT_EQ(cu.cuStreamDestroy_v2(first), kErrorStreamCaptureUnsupported);
  ExpectInvalid();
}

TEST_F(CaptureTest, BeginningsAndEnds) {
  OpenWithSeed(0);
  EXPECT_EQ(End(), kIllegalState);
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, 3), kErrorInvalidValue);
  Begin();
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, 0), kIllegalState);
  ExpectInvalid();
  Begin();
  Order(first, second);
  EXPECT_EQ(cu.cuStreamEndCapture(second, &graph), kUnmatched);
  ExpectInvalid();
  Begin(kCaptureModeThreadLocal);
  std::thread([&] {
    EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
    EXPECT_EQ(End(), kWrongThread);
  }).join();
  ExpectInvalid();
  Begin(kCaptureModeRelaxed);
  std::thread([&] {
    EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
    EXPECT_EQ(End(), kSuccess);
  }).join();
}

TEST_F(CaptureTest, Merge) {
  OpenWithSeed(0);
  const EventHandle event = NewEvent();
  Begin();
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(second, kCaptureModeRelaxed), kSuccess);
  EXPECT_EQ(cu.cuEventRecord(event, second), kSuccess);
  EXPECT_EQ(cu.cuStreamWaitEvent(first, event, 0), kMerge);
  EXPECT_EQ(cu.cuStreamEndCapture(second, &graph),
            kErrorStreamCaptureInvalidated);
  ExpectInvalid();
}

}  // namespace
}  // namespace accel::cuda_double
