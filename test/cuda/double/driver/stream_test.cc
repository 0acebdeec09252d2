// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams are asynchronous, keep their order, wait for events and call the
// host; handles that do not exist, or no longer, are refused.
#include <algorithm>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

using StreamTest = DriverTest;

constexpr Result kNotPermitted = 800;

TEST_F(StreamTest, NothingRunsAtTheCall) {
  Open();
  const StreamHandle stream = NewStream();
  auto* x = NewPinned(1, kHostAllocDeviceMap);
  *x = 0;
  EXPECT_EQ(cu.cuStreamQuery(stream), kSuccess);
  for (unsigned k = 0; k < 10; ++k) {
    EXPECT_EQ(Add(stream, reinterpret_cast<DevicePointer>(x), 1, 1), kSuccess);
  }
  EXPECT_EQ(*x, 0u);
  EXPECT_EQ(cu.cuStreamQuery(stream), kErrorNotReady);
  EXPECT_GT(*x, 0u);
  EXPECT_LT(*x, 10u);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(*x, 10u);
}

TEST_F(StreamTest, Handles) {
  Open();
  const StreamHandle stream = NewStream();
  const EventHandle event = NewEvent();
  const auto as_stream = reinterpret_cast<StreamHandle>(event);
  const auto as_event = reinterpret_cast<EventHandle>(stream);
  for (StreamHandle wrong : {StreamHandle{}, as_stream}) {
    EXPECT_EQ(cu.cuStreamQuery(wrong), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuStreamDestroy_v2(wrong), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuEventRecord(event, wrong), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuMemsetD8Async(1, 0, 1, wrong), kErrorInvalidHandle);
  }
  for (EventHandle wrong : {EventHandle{}, as_event}) {
    EXPECT_EQ(cu.cuEventQuery(wrong), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuEventDestroy_v2(wrong), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuEventRecord(wrong, stream), kErrorInvalidHandle);
    EXPECT_EQ(cu.cuStreamWaitEvent(stream, wrong, 0), kErrorInvalidHandle);
  }
  EXPECT_EQ(cu.cuStreamWaitEvent(stream, event, 2), kErrorInvalidValue);
  EXPECT_EQ(cu.cuLaunchHostFunc(stream, nullptr, nullptr), kErrorInvalidValue);
  EXPECT_EQ(cu.cuEventDestroy_v2(event), kSuccess);
  EXPECT_EQ(cu.cuEventQuery(event), kErrorInvalidHandle);
  EXPECT_EQ(cu.cuStreamDestroy_v2(stream), kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(stream), kErrorInvalidHandle);
  EXPECT_EQ(cu.cuStreamDestroy_v2(stream), kErrorInvalidHandle);
  StreamHandle none = nullptr;
  EventHandle no_event = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&none, 2), kErrorInvalidValue);
  EXPECT_EQ(cu.cuEventCreate(&no_event, 64), kErrorInvalidValue);
}

TEST_F(StreamTest, ADestroyedStreamGoesOn) {
  Open();
  const DevicePointer x = NewNumbers(2);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(Fill(stream, x, 2, 7), kSuccess);
  const EventHandle event = NewEvent();
  EXPECT_EQ(cu.cuEventRecord(event, stream), kSuccess);
  EXPECT_EQ(cu.cuStreamDestroy_v2(stream), kSuccess);
  EXPECT_EQ(WaitEvent(event), kSuccess);
  EXPECT_EQ(Read(x, 2), std::vector<uint32_t>(2, 7));
}

TEST_F(StreamTest, Events) {
  Open();
  const StreamHandle stream = NewStream();
  const DevicePointer x = NewNumbers(2);
  const EventHandle begin = NewEvent();
  const EventHandle end = NewEvent();
  const EventHandle never = NewEvent();
  const EventHandle untimed = NewEvent(kEventDisableTiming);
  float ms = -1;
  // An event that was never recorded is complete and nobody waits for it.
  EXPECT_EQ(cu.cuEventQuery(never), kSuccess);
  EXPECT_EQ(cu.cuStreamWaitEvent(stream, never, 0), kSuccess);
  EXPECT_EQ(cu.cuEventRecord(begin, stream), kSuccess);
  EXPECT_EQ(Fill(stream, x, 2, 7), kSuccess);
  EXPECT_EQ(cu.cuEventRecord(untimed, stream), kSuccess);
  EXPECT_EQ(cu.cuEventRecord(end, stream), kSuccess);
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, begin, end), kErrorNotReady);
  EXPECT_EQ(WaitEvent(end), kSuccess);
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, begin, end), kSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_LT(ms, 1);
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, begin, never), kErrorInvalidHandle);
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, begin, untimed), kErrorInvalidHandle);
}

// Which stream a line of the log is about.
std::string OrderOf(const std::string& log) {
  std::string order;
  for (absl::string_view line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    order += line[line.find(' ') + 1];
  }
  return order;
}

TEST_F(StreamTest, SeedsChooseTheOrder) {
  std::set<std::string> orders;
  for (int seed = 0; seed < 50; ++seed) {
    Close();
    Open({{"SEED", absl::StrCat(seed)}});
    const StreamHandle first = NewStream();
    const StreamHandle second = NewStream();
    const DevicePointer x = NewMemory(2);
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(cu.cuMemsetD8Async(x, 1, 1, first), kSuccess);
    }
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(cu.cuMemsetD8Async(x + 1, 1, 1, second), kSuccess);
    }
    EXPECT_EQ(Wait(first), kSuccess);
    EXPECT_EQ(Wait(second), kSuccess);
    orders.insert(OrderOf(LogText()));
  }
  EXPECT_TRUE(orders.contains("111111222222"));
  EXPECT_TRUE(orders.contains("222222111111"));
  EXPECT_TRUE(orders.contains("121212121212"));
  EXPECT_GT(orders.size(), 6u);
}

TEST_F(StreamTest, HostFunctions) {
  Open();
  const StreamHandle stream = NewStream();
  struct State {
    DriverFunctions* cu;
    Context context;
    Result inside = kSuccess;
    Result beside = kErrorUnknown;
  } state = {&cu, context};
  const auto function = [](void* data) {
    auto* state = static_cast<State*>(data);
    size_t free = 0;
    size_t total = 0;
    state->inside = state->cu->cuMemGetInfo_v2(&free, &total);
    // Other threads may call the driver meanwhile.
    std::thread([&] {
      state->cu->cuCtxSetCurrent(state->context);
      state->beside = state->cu->cuMemGetInfo_v2(&free, &total);
    }).join();
  };
  EXPECT_EQ(cu.cuLaunchHostFunc(stream, function, &state), kSuccess);
  EXPECT_EQ(state.inside, kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(state.inside, kNotPermitted);
  EXPECT_EQ(state.beside, kSuccess);
  EXPECT_THAT(ReportText(), HasSubstr("cuMemGetInfo_v2: a host function must "
                                      "not call the CUDA driver"));
  EXPECT_THAT(LogText(), HasSubstr("stream 1 of GPU 0: host function\n"));
}

TEST_F(StreamTest, AStalledKernel) {
  Open({{"STALL", "fill@2"}});
  const StreamHandle first = NewStream();
  const StreamHandle second = NewStream();
  const DevicePointer x = NewNumbers(4);
  EXPECT_EQ(Fill(first, x, 2, 1), kSuccess);
  EXPECT_EQ(Wait(first), kSuccess);
  EXPECT_EQ(Fill(first, x, 2, 2), kSuccess);
  EXPECT_EQ(Fill(first, x, 2, 3), kSuccess);
  EXPECT_EQ(Wait(first), kErrorNotReady);
  // Other streams go on.
  EXPECT_EQ(cu.cuMemsetD32Async(x + 8, 5, 2, second), kSuccess);
  EXPECT_EQ(Wait(second), kSuccess);
  EXPECT_EQ(Read(x, 4), (std::vector<uint32_t>{1, 1, 5, 5}));
  // What waits for the device would wait for ever.
  EXPECT_EQ(cu.cuMemFree_v2(x), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("waits for ever"));
}

TEST_F(StreamTest, ThreadsShareADevice) {
  for (int seed = 0; seed < 10; ++seed) {
    Close();
    Open({{"SEED", absl::StrCat(seed)}});
    const Function add = NewFunction("add");
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&] {
        EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
        const StreamHandle stream = NewStream();
        uint32_t n = 8;
        uint32_t one = 1;
        DevicePointer mine = NewMemory(32);
        EXPECT_EQ(cu.cuMemsetD32Async(mine, 0, 8, stream), kSuccess);
        for (int i = 0; i < 20; ++i) {
          EXPECT_EQ(Launch(add, stream, {&mine, &n, &one}, 8), kSuccess);
        }
        EXPECT_EQ(Wait(stream), kSuccess);
        EXPECT_EQ(Read(mine, 8), std::vector<uint32_t>(8, 20));
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(ReportText(), "");
  }
}

}  // namespace
}  // namespace accel::cuda_double
