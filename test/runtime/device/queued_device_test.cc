// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That the device of these tests does what they need: streams overtake each
// other in all ways that events allow, and in no other.
#include "test/runtime/device/queued_device.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::FunctionView;
using runtime::Instance;
using runtime::PlanView;

class Recorder : public runtime::StreamClient {
 public:
  void Begin(const Instance& instance) override {
    order.push_back(instance.instruction->id());
  }
  absl::Status Issue(const Instance&, runtime::Operations&) override {
    return absl::OkStatus();
  }
  absl::Status Finish(const Instance&, Clock::time_point,
                      Clock::time_point) override {
    return absl::OkStatus();
  }
  std::string Describe(const Instance&) const override { return ""; }
  std::string DescribeWait(uint32_t, const Instance&) const override {
    return "";
  }

  std::vector<uint32_t> order;  // of one thread
};

// The order in which instructions of a step begin, repeats taken once.
std::vector<uint32_t> OrderOf(const SamplePlan& sample, uint64_t seed) {
  const auto vfs = runtime::MakePosixVfs();
  const PlanView view = *ViewOf(sample);
  const auto layout =
      runtime::MemoryLayout::Create(view, runtime::RankBinding()).value();
  QueuedDevice device(*vfs, {seed});
  const runtime::CpuCode code;
  const auto memory = device.Allocate(view, layout).value();
  const runtime::Watchdog watchdog(std::chrono::seconds(20));
  runtime::StreamOptions options;
  options.watchdog = &watchdog;
  Recorder recorder;
  const auto streams =
      device.CreateStreams(view, code, *memory, recorder, options).value();
  const FunctionView& step = *view.FindFunction(planpb::FUNCTION_STEP);
  EXPECT_OK(step.Walk(1, [&](const Instance& instance) {
    return streams->Enqueue(step, 1, instance);
  }));
  EXPECT_OK(streams->Synchronize([] { return std::string("the streams"); }));
  return recorder.order;
}

bool IsBefore(const std::vector<uint32_t>& order, uint32_t a, uint32_t b) {
  return std::find(order.begin(), order.end(), a) <
         std::find(order.begin(), order.end(), b);
}

TEST(QueuedDeviceTest, WithoutEventsEachStreamIsSeenAheadAndBehind) {
  SamplePlan sample = MakeSamplePlan();
  for (planpb::Instruction& instruction : sample.step()) {
    instruction.clear_waits();
    instruction.clear_signals();
  }
  sample.step_function().set_events(0);
  const uint32_t fetch = sample.Step("fetch first").id();
  const uint32_t predict = sample.Step("predict").id();
  bool fetch_first = false, predict_first = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<uint32_t> order = OrderOf(sample, seed);
    EXPECT_EQ(order.size(), sample.step().size() - 1);
    (IsBefore(order, fetch, predict) ? fetch_first : predict_first) = true;
    // In one stream the order is that of the program.
    EXPECT_TRUE(IsBefore(order, predict, sample.Step("update").id()));
  }
  EXPECT_TRUE(fetch_first);
  EXPECT_TRUE(predict_first);
}

TEST(QueuedDeviceTest, EventsAreRespected) {
  SamplePlan sample = MakeSamplePlan();
  const uint32_t fetch = sample.Step("fetch first").id();
  const uint32_t predict = sample.Step("predict").id();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(IsBefore(OrderOf(sample, seed), fetch, predict)) << seed;
  }
}

}  // namespace
}  // namespace accel::testing
