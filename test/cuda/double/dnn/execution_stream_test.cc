// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the double of the driver sees of an execution: a work in the order of
// the handle's stream, with exactly the bytes that the plan touches.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

// 1x1 of a packed image, which copies the image.
const Case kCopy{.batches = 1,
                 .channels = 1,
                 .filters = 1,
                 .image = {4, 4},
                 .taps = {1, 1},
                 .pre = {0, 0},
                 .post = {0, 0}};

Bytes Filled(const Shape& shape, double value) {
  HostTensor tensor(shape);
  ForEach(shape.dims,
          [&](const std::vector<int64_t>& at) { tensor.at(at) = value; });
  return tensor.ToBytes();
}

class StreamTest : public testing::Test {
 protected:
  StreamTest() {
    Status status = kSuccess;
    configuration_ = graph_.Configure(0, &status);
    plan_ = MakePlan(*configuration_, &status);
  }

  Status Execute(const Object& plan) {
    Object pack(kVariantPackDescriptor);
    EXPECT_EQ(Pack(pack, {kX, kW, kY}, {x_.at(), w_.at(), y_.at()}, nullptr),
              kSuccess);
    return Dnn().cudnnBackendExecute(TheDoubles().handle, plan.get(),
                                     pack.get());
  }
  Status Execute() { return Execute(*plan_); }

  double First() { return Decode(kFloat, y_.Download().data()); }

  // A graph of one execution.
  cuda::GraphExec Capture(const Object& plan) {
    cuda::Graph graph = nullptr;
    cuda::GraphExec exec = nullptr;
    const cuda::StreamHandle stream = TheDoubles().stream;
    EXPECT_EQ(
        Driver().cuStreamBeginCapture_v2(stream, cuda::kCaptureModeThreadLocal),
        0);
    EXPECT_EQ(Execute(plan), kSuccess) << LastError();
    EXPECT_EQ(Driver().cuStreamEndCapture(stream, &graph), 0);
    EXPECT_EQ(Driver().cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
    EXPECT_EQ(Driver().cuGraphDestroy(graph), 0);
    return exec;
  }

  Graph graph_{kCopy};
  std::unique_ptr<Object> configuration_, plan_;
  DeviceBuffer x_{Filled(kCopy.x(), 2)}, w_{Filled(kCopy.w(), 3)};
  DeviceBuffer y_{Filled(kCopy.y(), 1)};
};

TEST_F(StreamTest, ItReadsWhenItRunsAndNotWhenItIsCalled) {
  const Bytes fives = Filled(kCopy.x(), 5);
  // The copy is before it on the stream.
  ASSERT_EQ(Driver().cuMemcpyHtoDAsync_v2(
                reinterpret_cast<cuda::DevicePointer>(x_.at()), fives.data(),
                fives.size(), TheDoubles().stream),
            0);
  EXPECT_EQ(Execute(), kSuccess);
  EXPECT_EQ(First(), 15);
}

TEST_F(StreamTest, AGraphReplaysItWithoutItsDescriptors) {
  const cuda::GraphExec exec = Capture(*plan_);
  plan_->Destroy();
  EXPECT_EQ(First(), 1) << "it only records";
  for (double value : {2.0, 7.0}) {
    ASSERT_EQ(Driver().cuGraphLaunch(exec, TheDoubles().stream), 0);
    EXPECT_EQ(First(), 3 * value);
    x_.Upload(Filled(kCopy.x(), 7));
  }
  EXPECT_EQ(Driver().cuGraphExecDestroy(exec), 0);
}

// The plan keeps nothing alive for the graph, and is gone.
void ReplayWithoutPlan() {
  Graph graph(kCopy);
  Status status = kSuccess;
  auto configuration = graph.Configure(0, &status);
  Object plan(kExecutionPlanDescriptor);
  plan.SetHandle(kPlanHandle, TheDoubles().handle);
  plan.SetObject(kPlanEngineConfig, *configuration);
  plan.Set(kPlanGraphRetention, kTypeGraphRetention, kRetentionNone);
  plan.Finalize();
  DeviceBuffer x(Filled(kCopy.x(), 2)), w(Filled(kCopy.w(), 3));
  DeviceBuffer y(Filled(kCopy.y(), 1));
  Object pack(kVariantPackDescriptor);
  Pack(pack, {kX, kW, kY}, {x.at(), w.at(), y.at()}, nullptr);
  cuda::Graph captured = nullptr;
  cuda::GraphExec exec = nullptr;
  const cuda::StreamHandle stream = TheDoubles().stream;
  Driver().cuStreamBeginCapture_v2(stream, cuda::kCaptureModeThreadLocal);
  Dnn().cudnnBackendExecute(TheDoubles().handle, plan.get(), pack.get());
  Driver().cuStreamEndCapture(stream, &captured);
  Driver().cuGraphInstantiateWithFlags(&exec, captured, 0);
  Driver().cuGraphLaunch(exec, stream);
  Finish();
  plan.Destroy();
  Driver().cuGraphLaunch(exec, stream);
  Finish();
}

TEST(StreamDeathTest, APlanThatKeepsNothingHasToLive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ReplayWithoutPlan(), "cudnnBackendExecute.*plan.*is destroyed");
}

// The driver ends the process if somebody reads what nobody has written.
TEST_F(StreamTest, TheOutputIsReadOnlyWithABeta) {
  Status status = kSuccess;
  DeviceBuffer fresh(y_.Download().size());
  Object pack(kVariantPackDescriptor);
  ASSERT_EQ(Pack(pack, {kX, kW, kY}, {x_.at(), w_.at(), fresh.at()}, nullptr),
            kSuccess);
  EXPECT_EQ(
      Dnn().cudnnBackendExecute(TheDoubles().handle, plan_->get(), pack.get()),
      kSuccess);
  EXPECT_EQ(Decode(kFloat, fresh.Download().data()), 6);
  Case added = kCopy;
  added.beta = 1;
  Graph graph(added);
  auto configuration = graph.Configure(0, &status);
  auto plan = MakePlan(*configuration, &status);
  EXPECT_EQ(Execute(*plan), kSuccess);
  EXPECT_EQ(First(), 7);
}

void AddToGarbage() {
  Case added = kCopy;
  added.beta = 1;
  Graph graph(added);
  Status status = kSuccess;
  auto configuration = graph.Configure(0, &status);
  auto plan = MakePlan(*configuration, &status);
  DeviceBuffer x(Filled(kCopy.x(), 2)), w(Filled(kCopy.w(), 3)), y(64);
  Object pack(kVariantPackDescriptor);
  Pack(pack, {kX, kW, kY}, {x.at(), w.at(), y.at()}, nullptr);
  Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get());
  Finish();
}

// The same work on two streams, apart but for the workspace.
void ShareAWorkspace() {
  const Case test{.way = Way::kFilter};
  Graph graph(test);
  Status status = kSuccess;
  auto configuration = graph.Configure(4, &status);
  auto plan = MakePlan(*configuration, &status);
  const Numbers numbers(test);
  DeviceBuffer x(numbers.x.ToBytes()), y(numbers.y.ToBytes());
  DeviceBuffer w(size_t{2} * 4096), workspace(64 << 10);
  cuda::StreamHandle streams[2];
  for (int i = 0; i < 2; ++i) {
    Driver().cuStreamCreate(&streams[i], cuda::kStreamNonBlocking);
    Dnn().cudnnSetStream(TheDoubles().handle, streams[i]);
    Object pack(kVariantPackDescriptor);
    Pack(pack, {kX, kW, kY}, {x.at(), w.at(size_t(i) * 4096), y.at()},
         workspace.at());
    Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get());
  }
  Finish(streams[0]);
  Finish(streams[1]);
}

// A workspace that ends where its allocation does not.
void ExceedAWorkspace() {
  const Case test{.way = Way::kFilter};
  Graph graph(test);
  Status status = kSuccess;
  auto configuration = graph.Configure(4, &status);
  auto plan = MakePlan(*configuration, &status);
  const Numbers numbers(test);
  DeviceBuffer x(numbers.x.ToBytes()), w(numbers.w.ToBytes());
  DeviceBuffer y(numbers.y.ToBytes());
  DeviceBuffer workspace(size_t(plan->GetInt64(kPlanWorkspaceSize)) - 256);
  Object pack(kVariantPackDescriptor);
  Pack(pack, {kX, kW, kY}, {x.at(), w.at(), y.at()}, workspace.at());
  Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get());
  Finish();
}

// How long an execution takes by the driver's clock.
[[noreturn]] void Measure(const char* times) {
  setenv("ACCEL_DOUBLE_DNN_TIMES", times, 1);
  Graph graph(kCopy);
  DeviceBuffer x(Filled(kCopy.x(), 2)), w(Filled(kCopy.w(), 3));
  DeviceBuffer y(Filled(kCopy.y(), 1));
  DeviceBuffer workspace(size_t{1} << 20);
  Object pack(kVariantPackDescriptor);
  Pack(pack, {kX, kW, kY}, {x.at(), w.at(), y.at()}, workspace.at());
  for (int64_t engine : {0, 3}) {
    Status status = kSuccess;
    auto configuration = graph.Configure(engine, &status);
    auto plan = MakePlan(*configuration, &status);
    cuda::EventHandle begin = nullptr, end = nullptr;
    Driver().cuEventCreate(&begin, 0);
    Driver().cuEventCreate(&end, 0);
    Driver().cuEventRecord(begin, TheDoubles().stream);
    Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get());
    Driver().cuEventRecord(end, TheDoubles().stream);
    Finish();
    float milliseconds = 0;
    Driver().cuEventElapsedTime(&milliseconds, begin, end);
    std::fprintf(stderr, "engine %d: %.0f. ", int(engine), milliseconds);
  }
  std::_Exit(0);
}

TEST(StreamDeathTest, AnEngineTakesAsLongAsATestSays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Measure("0=5000,3=2000"), testing::ExitedWithCode(0),
              "engine 0: 5. engine 3: 2. ");
  EXPECT_DEATH(Measure("0=5000,99=1"), "expected ENGINE=MICROSECONDS");
}

TEST(StreamDeathTest, TheDriverFindsWhatAnExecutionTouches) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(AddToGarbage(), "cudnnBackendExecute");
  EXPECT_DEATH(ShareAWorkspace(), "cudnnBackendExecute.*race: it writes bytes");
  EXPECT_DEATH(ExceedAWorkspace(), "cudnnBackendExecute");
}

}  // namespace
}  // namespace accel::cuda_double::dnn
