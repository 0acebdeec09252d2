// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of other libraries: in its turn, captured, and held to what it declares.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

// Adds the numbers of one range to those of another one.
struct Sum {
  DevicePointer to;
  DevicePointer from;
  int runs = 0;
  int destroyed = 0;
};

class EnqueueTest : public DriverTest {
 protected:
  void Prepare(Environment environment = {}) {
    Close();
    Open(std::move(environment));
    first = NewStream();
    second = NewStream();
    sum = {NewNumbers(8, 1), NewNumbers(8, 2)};
  }
  Result EnqueueSum(StreamHandle stream, size_t bytes = 32) {
    Access accesses[] = {
        {sum.to, bytes, 1}, {sum.to, bytes, 0}, {sum.from, 32, 0}, {0, 0, 1}};
    std::string name = "sum";
    const Work work = {name.c_str(), accesses, 4, &Run, &sum, &Destroy};
    const Result result = enqueue(stream, &work);
    // What was passed need not live on.
    std::memset(accesses, 0, sizeof(accesses));
    name = "???";
    return result;
  }
  static void Run(void* data) {
    auto* sum = static_cast<Sum*>(data);
    for (int k = 0; k < 8; ++k) {
      reinterpret_cast<uint32_t*>(sum->to)[k] +=
          reinterpret_cast<uint32_t*>(sum->from)[k];
    }
    ++sum->runs;
  }
  static void Destroy(void* data) { ++static_cast<Sum*>(data)->destroyed; }

  StreamHandle first = nullptr;
  StreamHandle second = nullptr;
  Sum sum = {};
};

TEST_F(EnqueueTest, RunsInItsTurn) {
  for (int seed = 0; seed < 50; ++seed) {
    Prepare({{"SEED", absl::StrCat(seed)}});
    EXPECT_EQ(Add(first, sum.to, 8, 10), kSuccess);
    Order(first, second);
    EXPECT_EQ(EnqueueSum(second), kSuccess);
    EXPECT_EQ(sum.runs, 0);
    Order(second, first);
    EXPECT_EQ(Add(first, sum.to, 8, 100), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess) << ReportText();
    EXPECT_EQ(Read(sum.to, 8), std::vector<uint32_t>(8, 113));
    EXPECT_EQ(sum.runs, 1);
    EXPECT_EQ(sum.destroyed, 1);
    EXPECT_THAT(LogText(), HasSubstr("stream 2 of GPU 0: sum\n"));
  }
}

TEST_F(EnqueueTest, Races) {
  for (int seed = 0; seed < 50; ++seed) {
    Prepare({{"SEED", absl::StrCat(seed)}});
    EXPECT_EQ(Add(first, sum.from, 8, 10), kSuccess);
    EXPECT_EQ(EnqueueSum(second), kSuccess);
    EXPECT_EQ(Wait(first) == kSuccess ? Wait(second) : kErrorLaunchFailed,
              kErrorLaunchFailed);
    EXPECT_THAT(ReportText(), HasSubstr("sum on stream 2"));
  }
}

TEST_F(EnqueueTest, IsCaptured) {
  Prepare();
  Graph graph = nullptr;
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, kCaptureModeGlobal), kSuccess);
  EXPECT_EQ(EnqueueSum(first), kSuccess);
  EXPECT_EQ(cu.cuStreamEndCapture(first, &graph), kSuccess);
  const GraphExec executable = Instantiate(graph);
  EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
  EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
  EXPECT_EQ(Wait(first), kSuccess);
  EXPECT_EQ(Read(sum.to, 8), std::vector<uint32_t>(8, 5));
  EXPECT_EQ(sum.runs, 2);
  EXPECT_EQ(sum.destroyed, 0);
  EXPECT_EQ(cu.cuGraphExecDestroy(executable), kSuccess);
  EXPECT_EQ(sum.destroyed, 1);
}

TEST_F(EnqueueTest, MistakesInAccesses) {
  Prepare();
  EXPECT_EQ(EnqueueSum(first, 33), kSuccess);
  EXPECT_EQ(Wait(first), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(),
              HasSubstr("sum on stream 1 of GPU 0: out of range"));
  EXPECT_EQ(sum.runs, 0);
  EXPECT_EQ(sum.destroyed, 1);
  Prepare();
  sum.from = NewMemory(32);
  EXPECT_EQ(EnqueueSum(first), kSuccess);
  EXPECT_EQ(Wait(first), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("sum on stream 1 of GPU 0: uninit"));
  Prepare();
  sum.to += 4;  // Its last number lies behind the allocation.
  EXPECT_EQ(EnqueueSum(first, 28), kSuccess);
  EXPECT_EQ(Wait(first), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("somebody wrote beside allocation 1"));
}

// Work that waits until somebody sets a flag.
struct Waiting {
  std::atomic<int> state = kWorkWaits;
  const char* mistake = nullptr;
  std::vector<int>* order = nullptr;
  int number = 0;
  uint32_t* to = nullptr;
};

class WaitingTest : public EnqueueTest {
 protected:
  Result Enqueue(StreamHandle stream, Waiting& waiting,
                 unsigned long long chain = 0, DevicePointer from = 0) {
    const Access accesses[] = {
        {reinterpret_cast<DevicePointer>(waiting.to), 4, 1},
        {from, from == 0 ? size_t{0} : size_t{4}, 0}};
    Work work{};
    work.name = "waiting";
    work.accesses = accesses;
    work.access_count = waiting.to == nullptr ? 0 : 2;
    work.data = &waiting;
    work.run = [](void* data) {
      auto* own = static_cast<Waiting*>(data);
      if (own->order != nullptr) {
        own->order->push_back(own->number);
      }
    };
    work.ready = [](void* data) {
      return static_cast<Waiting*>(data)->state.load();
    };
    work.mistake = [](void* data) {
      return static_cast<Waiting*>(data)->mistake;
    };
    work.chain = chain;
    work.of_stream = 1;
    return enqueue(stream, &work);
  }
};

TEST_F(WaitingTest, OtherStreamsGoOn) {
  for (int seed = 0; seed < 50; ++seed) {
    Prepare({{"SEED", absl::StrCat(seed)}});
    Waiting waiting;
    EXPECT_EQ(Enqueue(first, waiting), kSuccess);
    EXPECT_EQ(Add(second, sum.to, 8, 10), kSuccess);
    EXPECT_EQ(Wait(second), kSuccess);
    EXPECT_EQ(cu.cuStreamQuery(first), kErrorNotReady);
    waiting.state = kWorkIsReady;
    EXPECT_EQ(Wait(first), kSuccess);
  }
}

TEST_F(WaitingTest, CallsThatSynchroniseWaitToo) {
  Prepare();
  Waiting waiting;
  EXPECT_EQ(Enqueue(first, waiting), kSuccess);
  std::thread peer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    waiting.state = kWorkIsReady;
  });
  EXPECT_EQ(cu.cuMemFree_v2(sum.to), kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(first), kSuccess);
  peer.join();
}

TEST_F(WaitingTest, AbandonedWorkLeavesGarbage) {
  Prepare();
  Waiting waiting;
  waiting.to = reinterpret_cast<uint32_t*>(sum.to);
  waiting.state = kWorkIsAbandoned;
  EXPECT_EQ(Enqueue(first, waiting), kSuccess);
  EXPECT_EQ(Wait(first), kSuccess);
  EXPECT_EQ(Read(sum.to, 2), (std::vector<uint32_t>{0xffffffff, 1}));
}

TEST_F(WaitingTest, Mistakes) {
  Prepare();
  Waiting waiting;
  waiting.state = kWorkIsReady;
  waiting.mistake = "it is wrong";
  EXPECT_EQ(Enqueue(first, waiting), kSuccess);
  EXPECT_EQ(Wait(first), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("waiting on stream 1 of GPU 0: it is"));
  // Bytes without values are a mistake before anybody is waited for.
  Prepare();
  waiting.state = kWorkWaits;
  waiting.to = reinterpret_cast<uint32_t*>(sum.to);
  EXPECT_EQ(Enqueue(first, waiting, 0, NewMemory(4)), kSuccess);
  EXPECT_EQ(Wait(first), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("uninitialised"));
}

TEST_F(WaitingTest, AChainKeepsTheOrderOfCallsAndLaunches) {
  for (int seed = 0; seed < 50; ++seed) {
    Prepare({{"SEED", absl::StrCat(seed)}});
    std::vector<int> order;
    Waiting waiting[4];
    for (int k = 0; k < 4; ++k) {
      waiting[k].order = &order;
      waiting[k].number = k;
      waiting[k].state = kWorkIsReady;
    }
    Graph graph = nullptr;
    EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, kCaptureModeGlobal), kSuccess);
    Order(first, second);
    EXPECT_EQ(Enqueue(second, waiting[1], 9), kSuccess);
    EXPECT_EQ(Enqueue(first, waiting[2], 9), kSuccess);
    Order(second, first);
    EXPECT_EQ(cu.cuStreamEndCapture(first, &graph), kSuccess);
    const GraphExec executable = Instantiate(graph);
    EXPECT_EQ(Enqueue(second, waiting[0], 9), kSuccess);
    EXPECT_EQ(cu.cuGraphLaunch(executable, first), kSuccess);
    EXPECT_EQ(Enqueue(second, waiting[3], 9), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess);
    EXPECT_EQ(Wait(second), kSuccess);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3})) << seed;
  }
}

// The order of a chain is none that the caller may rely on for other memory.
TEST_F(WaitingTest, AChainOrdersNoAccesses) {
  for (int seed = 0; seed < 50; ++seed) {
    Prepare({{"SEED", absl::StrCat(seed)}});
    Waiting waiting;
    waiting.to = reinterpret_cast<uint32_t*>(sum.to);
    waiting.state = kWorkIsReady;
    EXPECT_EQ(Enqueue(first, waiting, 9), kSuccess);
    EXPECT_EQ(Enqueue(second, waiting, 9), kSuccess);
    EXPECT_EQ(Wait(first) == kSuccess ? Wait(second) : kErrorLaunchFailed,
              kErrorLaunchFailed);
    EXPECT_THAT(ReportText(), HasSubstr("race: "));
  }
}

TEST_F(EnqueueTest, MistakesInCalls) {
  Prepare();
  EXPECT_EQ(EnqueueSum(nullptr), kErrorInvalidHandle);
  EXPECT_EQ(enqueue(first, nullptr), kErrorInvalidValue);
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, kCaptureModeGlobal), kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(first), kErrorStreamCaptureUnsupported);
  EXPECT_EQ(EnqueueSum(first), kErrorStreamCaptureInvalidated);
  EXPECT_EQ(sum.destroyed, 0);
}

}  // namespace
}  // namespace accel::cuda_double
