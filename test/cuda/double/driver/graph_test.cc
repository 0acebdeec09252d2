// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replays in every order that the captured dependencies allow.
#include <algorithm>
#include <vector>

#include "test/cuda/double/driver/capture_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

using GraphTest = CaptureTest;

constexpr int kSeeds = 50;

TEST_F(GraphTest, ReplaysKeepTheDependencies) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    Begin(kCaptureModeGlobal);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    Order(first, second);
    EXPECT_EQ(Copy(second, y, x, 8), kSuccess);
    EXPECT_EQ(Add(second, y, 8, 1), kSuccess);
    Order(second, first);
    EXPECT_EQ(Add(first, x, 8, 5), kSuccess);
    EXPECT_EQ(End(), kSuccess);
    const GraphExec executable = Instantiate(graph);
    // Nothing has been executed by the capture.
    EXPECT_EQ(Wait(second), kSuccess);
    EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 0));
    EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
    EXPECT_EQ(cu.cuGraphLaunch(executable, second), kSuccess);
    Order(second, first);
    EXPECT_EQ(Add(first, y, 8, 10), kSuccess);
    EXPECT_EQ(cu.cuGraphExecDestroy(executable), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess) << seed << ReportText();
    EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 6));
    EXPECT_EQ(Read(y, 8), std::vector<uint32_t>(8, 12));
    EXPECT_EQ(ReportText(), "");
  }
}

TEST_F(GraphTest, RacesInsideAReplay) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    Begin();
    Order(first, second);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(Copy(second, y, x, 8), kSuccess);
    Order(second, first);
    EXPECT_EQ(End(), kSuccess);
    EXPECT_EQ(cu.cuGraphLaunch(Instantiate(graph), first), kSuccess);
    EXPECT_EQ(Wait(first), kErrorLaunchFailed) << seed;
    EXPECT_THAT(ReportText(), HasSubstr("race: "));
    EXPECT_THAT(ReportText(), HasSubstr("of graph 1 of GPU 0"));
  }
}

TEST_F(GraphTest, RacesOfAReplayWithAStream) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    Begin();
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(End(), kSuccess);
    const GraphExec executable = Instantiate(graph);
    EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
    EXPECT_EQ(Fill(second, x, 8, 1), kSuccess);
    EXPECT_EQ(Wait(first) == kSuccess ? Wait(second) : kErrorLaunchFailed,
              kErrorLaunchFailed)
        << seed;
  }
}

TEST_F(GraphTest, HostFunctionsAndMemoryNodes) {
  OpenWithSeed(3);
  int calls = 0;
  auto* from = NewPinned(8);
  auto* to = NewPinned(8);
  Begin();
  EXPECT_EQ(cu.cuLaunchHostFunc(
                first, [](void* data) { ++*static_cast<int*>(data); }, &calls),
            kSuccess);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, from, 32, first), kSuccess);
  EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(y, x, 16, first), kSuccess);
  EXPECT_EQ(cu.cuMemsetD32Async(y + 16, 9, 3, first), kSuccess);
  EXPECT_EQ(cu.cuStreamWriteValue32_v2(first, y + 28, 8, 0), kSuccess);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(to, y, 32, first), kSuccess);
  EXPECT_EQ(End(), kSuccess);
  const GraphExec executable = Instantiate(graph);
  for (uint32_t k = 1; k < 4; ++k) {
    std::fill_n(from, 8, k);
    EXPECT_EQ(cu.cuGraphLaunch(executable, second), kSuccess);
    EXPECT_EQ(Wait(second), kSuccess) << ReportText();
    EXPECT_EQ(calls, static_cast<int>(k));
    EXPECT_EQ(std::vector<uint32_t>(to, to + 8),
              (std::vector<uint32_t>{k, k, k, k, 9, 9, 9, 8}));
  }
}

TEST_F(GraphTest, RowsAndThreeStreams) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenWithSeed(seed);
    const StreamHandle third = NewStream();
    auto* word = NewPinned(1, kHostAllocDeviceMap);
    DevicePointer mapped = 0;
    EXPECT_EQ(cu.cuMemHostGetDevicePointer_v2(&mapped, word, 0), kSuccess);
    *word = 0;
    Begin(kCaptureModeGlobal);
    const EventHandle fork = NewEvent(kEventDisableTiming);
    EXPECT_EQ(cu.cuEventRecord(fork, first), kSuccess);
    EXPECT_EQ(cu.cuStreamWaitEvent(second, fork, 0), kSuccess);
    EXPECT_EQ(cu.cuStreamWaitEvent(third, fork, 0), kSuccess);
    EXPECT_EQ(cu.cuMemsetD2D32Async(x, 16, 1, 2, 2, second), kSuccess);
    EXPECT_EQ(cu.cuMemsetD2D32Async(x + 8, 16, 2, 2, 2, third), kSuccess);
    Order(second, third);
    EXPECT_EQ(cu.cuStreamWriteValue32_v2(third, mapped, 5, 0), kSuccess);
    Order(third, first);
    EXPECT_EQ(Copy(first, y, x, 8), kSuccess);
    EXPECT_EQ(End(), kSuccess);
    EXPECT_EQ(*word, 0u);
    const GraphExec executable = Instantiate(graph);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
      EXPECT_EQ(Add(first, x, 8, 3), kSuccess);
    }
    EXPECT_EQ(Wait(first), kSuccess) << ReportText();
    EXPECT_EQ(*word, 5u);
    EXPECT_EQ(Read(y, 8), (std::vector<uint32_t>{1, 1, 2, 2, 1, 1, 2, 2}));
  }
}

TEST_F(GraphTest, GraphHandles) {
  OpenWithSeed(0);
  GraphExec executable = nullptr;
  Begin();
  EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
  EXPECT_EQ(End(), kSuccess);
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&executable, graph, 1024),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&executable, nullptr, 0),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&executable, graph, 0), kSuccess);
  EXPECT_EQ(cu.cuGraphDestroy(graph), kSuccess);
  EXPECT_EQ(cu.cuGraphDestroy(graph), kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&executable, graph, 0),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
  EXPECT_EQ(cu.cuGraphLaunch(nullptr, first), kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphExecDestroy(executable), kSuccess);
  EXPECT_EQ(cu.cuGraphExecDestroy(executable), kErrorInvalidValue);
  EXPECT_EQ(cu.cuGraphLaunch(executable, first), kErrorInvalidValue);
  EXPECT_EQ(Wait(first), kSuccess);
  EXPECT_EQ(Read(x, 8), std::vector<uint32_t>(8, 1));
}

TEST_F(GraphTest, AReplayAfterTheMemory) {
  OpenWithSeed(0);
  auto* from = NewPinned(8);
  Begin();
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, from, 32, first), kSuccess);
  EXPECT_EQ(End(), kSuccess);
  const GraphExec executable = Instantiate(graph);
  EXPECT_EQ(cu.cuMemFreeHost(from), kSuccess);
  EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
  EXPECT_EQ(Wait(first), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("not pinned any more"));
}

}  // namespace
}  // namespace accel::cuda_double
