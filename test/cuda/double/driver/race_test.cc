// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that nothing orders are found whatever the order of execution, and
// programs that order theirs pass under every order.
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

constexpr int kSeeds = 50;

class RaceTest : public DriverTest {
 protected:
  void OpenWithSeed(int seed, Environment environment = {}) {
    Close();
    environment["SEED"] = absl::StrCat(seed);
    Open(environment);
    first = NewStream();
    second = NewStream();
  }
  // Waits for both streams and returns the first error.
  Result WaitForBoth() {
    const Result result = Wait(first);
    return result != kSuccess ? result : Wait(second);
  }

  StreamHandle first = nullptr;
  StreamHandle second = nullptr;
};

TEST_F(RaceTest, WritersOfTwoStreams) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(Fill(second, x + 16, 4, 2), kSuccess);
    EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed) << seed;
    EXPECT_THAT(ReportText(), HasSubstr("race: it writes bytes [0x"));
    EXPECT_THAT(ReportText(), HasSubstr("kernel fill on stream 1 of GPU 0"));
    EXPECT_THAT(ReportText(), HasSubstr("kernel fill on stream 2 of GPU 0"));
    EXPECT_THAT(ReportText(), HasSubstr("of allocation 1 of 32 bytes"));
  }
}

TEST_F(RaceTest, ReaderAndWriter) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    auto* y = NewPinned(8);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(y, x, 32, second), kSuccess);
    EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed) << seed;
    EXPECT_THAT(ReportText(), HasSubstr("copy to host of 32 bytes on stream"));
  }
}

TEST_F(RaceTest, PinnedMemory) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(2);
    const DevicePointer y = NewNumbers(2);
    auto* staging = NewPinned(2);
    EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(staging, x, 8, first), kSuccess);
    EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(y, staging, 8, second), kSuccess);
    EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed) << seed;
    EXPECT_THAT(ReportText(), HasSubstr("of pinned allocation 1 of 8 bytes"));
  }
}

TEST_F(RaceTest, EventsOrder) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    const DevicePointer y = NewNumbers(8);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    Order(first, second);
    EXPECT_EQ(Add(second, x, 8, 2), kSuccess);
    EXPECT_EQ(Copy(second, y, x, 8), kSuccess);
    Order(second, first);
    EXPECT_EQ(Add(first, x, 8, 4), kSuccess);
    EXPECT_EQ(WaitForBoth(), kSuccess) << seed;
    EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 7));
    EXPECT_EQ(Read(y, 8), std::vector<uint32_t>(8, 3));
    EXPECT_EQ(ReportText(), "");
  }
}

TEST_F(RaceTest, ADroppedWaitIsFound) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed, {{"DROP_WAIT", "2"}});
    const DevicePointer x = NewNumbers(8);
    const DevicePointer y = NewNumbers(8);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    Order(first, second);
    EXPECT_EQ(Copy(second, y, x, 8), kSuccess);
    Order(second, first);  // without effect
    EXPECT_EQ(Add(first, x, 8, 4), kSuccess);
    EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed) << seed;
    EXPECT_THAT(ReportText(), HasSubstr("race: "));
  }
}

TEST_F(RaceTest, NeighboursAndReadersDoNotRace) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    const DevicePointer y = NewNumbers(4, 5);
    // The streams take turns in the bytes of one allocation.
    for (unsigned k = 0; k < 8; ++k) {
      EXPECT_EQ(Copy(k % 2 == 0 ? first : second, x + 4 * k, y, 1), kSuccess);
    }
    EXPECT_EQ(cu.cuMemsetD8Async(x, 1, 1, first), kSuccess);
    EXPECT_EQ(cu.cuMemsetD8Async(x + 5, 1, 1, second), kSuccess);
    EXPECT_EQ(WaitForBoth(), kSuccess) << seed << ReportText();
    EXPECT_EQ(ReportText(), "");
  }
}

TEST_F(RaceTest, TheHostOrders) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    const EventHandle event = NewEvent();
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(cu.cuEventRecord(event, first), kSuccess);
    EXPECT_EQ(WaitEvent(event), kSuccess);
    EXPECT_EQ(Add(second, x, 8, 2), kSuccess);
    EXPECT_EQ(Wait(second), kSuccess);
    EXPECT_EQ(Add(first, x, 8, 4), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess) << ReportText();
    EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 7));
  }
}

TEST_F(RaceTest, AQueryThatFoundWorkOrdersNothing) {
  OpenWithSeed(0);
  const DevicePointer x = NewNumbers(8);
  EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(Add(first, x, 8, 1), kSuccess);
  }
  // The fill is executed, and the host cannot know it.
  EXPECT_EQ(cu.cuStreamQuery(first), kErrorNotReady);
  EXPECT_EQ(Add(second, x, 8, 2), kSuccess);
  EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed);
}

TEST_F(RaceTest, AnotherThreadHasSeenNothing) {
  for (const bool signals : {false, true}) {
    OpenWithSeed(0, {{"HOST_ORDER", signals ? "signals" : "thread"}});
    const DevicePointer x = NewNumbers(8);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess);
    std::thread([&] {
      EXPECT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
      EXPECT_EQ(Add(second, x, 8, 2), kSuccess);
      EXPECT_EQ(Wait(second), signals ? kSuccess : kErrorLaunchFailed);
    }).join();
  }
}

TEST_F(RaceTest, SignalsOfTheStreamOrderIfTheyAreAskedFor) {
  for (const bool signals : {false, true}) {
    OpenWithSeed(0, {{"HOST_ORDER", signals ? "signals" : "thread"}});
    const DevicePointer x = NewNumbers(8);
    int calls = 0;
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(
        cu.cuLaunchHostFunc(
            first, [](void* data) { ++*static_cast<int*>(data); }, &calls),
        kSuccess);
    // No query of the stream says that the function has been called.
    while (calls == 0) {
      EXPECT_EQ(cu.cuStreamQuery(second), kSuccess);
    }
    EXPECT_EQ(Add(second, x, 8, 2), kSuccess);
    EXPECT_EQ(Wait(second), signals ? kSuccess : kErrorLaunchFailed);
  }
}

TEST_F(RaceTest, AnEventThatIsRecordedAgainLeavesEarlierWaitsAlone) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const DevicePointer x = NewNumbers(8);
    const EventHandle event = NewEvent();
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(cu.cuEventRecord(event, first), kSuccess);
    EXPECT_EQ(cu.cuStreamWaitEvent(second, event, 0), kSuccess);
    EXPECT_EQ(Add(second, x, 8, 1), kSuccess);
    // This record comes too late for the wait above, and for the add below.
    EXPECT_EQ(Add(first, x, 8, 1), kSuccess);
    EXPECT_EQ(cu.cuEventRecord(event, first), kSuccess);
    EXPECT_EQ(WaitForBoth(), kErrorLaunchFailed) << seed;
  }
}

// Two streams that write columns of one matrix do not race, unless the columns
// share a number.
TEST_F(RaceTest, RowsOfAMemset) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    for (const size_t width : {2, 3}) {
      OpenWithSeed(seed);
      const DevicePointer x = NewNumbers(12);
      EXPECT_EQ(cu.cuMemsetD2D32Async(x, 16, 1, width, 3, first), kSuccess);
      EXPECT_EQ(cu.cuMemsetD2D32Async(x + 8, 16, 2, 2, 3, second), kSuccess);
      EXPECT_EQ(WaitForBoth(), width == 2 ? kSuccess : kErrorLaunchFailed);
    }
    EXPECT_THAT(ReportText(), HasSubstr("memset of 3 rows of"));
  }
}

TEST_F(RaceTest, FreedMemoryIsForgotten) {
  OpenWithSeed(0);
  for (int k = 0; k < 8; ++k) {
    const DevicePointer x = NewMemory(32);
    EXPECT_EQ(Fill(k % 2 == 0 ? first : second, x, 8, 1), kSuccess);
    EXPECT_EQ(cu.cuMemFree_v2(x), kSuccess);
  }
  EXPECT_EQ(ReportText(), "");
}

}  // namespace
}  // namespace accel::cuda_double
