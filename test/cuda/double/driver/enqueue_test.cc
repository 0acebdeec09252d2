// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of other libraries: in its turn, captured, and held to what it declares.
#include <cstring>

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
