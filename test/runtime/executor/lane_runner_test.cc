// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes: order by events, overlap, errors that reach everybody, deadlines.
#include "runtime/executor/lane_runner.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/random/philox.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::FunctionView;
using runtime::Instance;
using runtime::LaneRunner;

constexpr std::chrono::seconds kTimeout(20);
// Compute on the calling thread, communication on one of its own.
const std::vector<uint32_t> kThreads = {0, 1};

class LaneRunnerTest : public ::testing::Test {
 protected:
  LaneRunnerTest() : view_(*ViewOf(MakeSamplePlan())) {}

  const FunctionView& step() {
    return *view_.FindFunction(planpb::FUNCTION_STEP);
  }

  runtime::PlanView view_;
};

TEST_F(LaneRunnerTest, RunsEveryInstanceOnceAndEachLaneOnItsThread) {
  const auto runner = LaneRunner::Create(view_, kThreads, kTimeout).value();
  std::mutex mutex;
  std::vector<std::set<std::thread::id>> threads(2);
  for (int call = 0; call < 3; ++call) {
    std::vector<int> count(step().instructions().size(), 0);
    ASSERT_OK(runner->Run(step(), 5,
                          [&](const FunctionView&, const Instance& instance) {
                            std::lock_guard<std::mutex> lock(mutex);
                            ++count[instance.instruction->id()];
                            threads[instance.instruction->lane()].insert(
                                std::this_thread::get_id());
                            return absl::OkStatus();
                          }));
    EXPECT_THAT(count, ::testing::ElementsAre(1, 1, 1, 1, 0, 5, 5, 5, 5, 5, 1,
                                              1, 1, 1, 1, 1, 1));
  }
  EXPECT_THAT(threads[kCompute],
              ::testing::ElementsAre(std::this_thread::get_id()));
  EXPECT_EQ(threads[kCommunication].size(), 1u);
  EXPECT_NE(*threads[kCommunication].begin(), std::this_thread::get_id());
}

// Lanes of one thread run in program order, and events between them never make
// it wait for itself.
TEST_F(LaneRunnerTest, LanesMayShareAThread) {
  const auto runner = LaneRunner::Create(view_, {0, 0}, kTimeout).value();
  std::vector<uint32_t> ran;
  ASSERT_OK(runner->Run(step(), 2,
                        [&](const FunctionView&, const Instance& instance) {
                          ran.push_back(instance.instruction->id());
                          return absl::OkStatus();
                        }));
  EXPECT_THAT(ran, ::testing::ElementsAre(0, 1, 2, 3, 5, 6, 7, 8, 9, 5, 6, 7, 8,
                                          9, 10, 11, 12, 13, 14, 15, 16));
}

// Whatever the pauses, no instruction begins before what it waits for is done.
TEST_F(LaneRunnerTest, EventsHoldUnderRandomDelays) {
  const auto runner = LaneRunner::Create(view_, kThreads, kTimeout).value();
  constexpr uint64_t kRounds = 6;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<std::atomic<uint64_t>> done(step().instructions().size());
    std::atomic<uint64_t> ticket = 0;
    ASSERT_OK(runner->Run(
        step(), kRounds,
        [&](const FunctionView& function,
            const Instance& instance) -> absl::Status {
          const planpb::Instruction& instruction = *instance.instruction;
          for (const planpb::Wait& wait : instruction.waits()) {
            const uint64_t wanted = function.RequiredCount(
                wait, instruction.id(), instance.iteration, kRounds);
            if (done[function.SignallerOf(wait.event())] < wanted) {
              return absl::InternalError("too early");
            }
          }
          const uint32_t word = runtime::RandomWord(seed, 5, ticket++, 0);
          std::this_thread::sleep_for(std::chrono::microseconds(word % 200));
          ++done[instruction.id()];
          return absl::OkStatus();
        }));
  }
}

// The next fetch runs while this microbatch computes: each waits until the
// other one has begun, however late its thread gets a processor.
TEST_F(LaneRunnerTest, LanesOverlap) {
  const auto runner = LaneRunner::Create(view_, kThreads, kTimeout).value();
  absl::Notification fetching, computing;
  const auto meet = [](absl::Notification& mine, absl::Notification& other) {
    mine.Notify();
    return other.WaitForNotificationWithTimeout(absl::FromChrono(kTimeout) / 2)
               ? absl::OkStatus()
               : absl::DeadlineExceededError("the other lane has not begun");
  };
  EXPECT_OK(runner->Run(
      step(), 3,
      [&](const FunctionView&, const Instance& instance) -> absl::Status {
        const std::string& name = instance.instruction->name();
        if (name == "fetch next" && !fetching.HasBeenNotified()) {
          return meet(fetching, computing);
        }
        if (name == "residual" && !computing.HasBeenNotified()) {
          return meet(computing, fetching);
        }
        return absl::OkStatus();
      }));
  EXPECT_TRUE(fetching.HasBeenNotified() && computing.HasBeenNotified());
}

TEST_F(LaneRunnerTest, AnErrorEndsAllLanesAndEveryLaterRun) {
  for (const std::string bad : {"fetch next", "gradient", "update"}) {
    const auto runner = LaneRunner::Create(view_, kThreads, kTimeout).value();
    const auto execute = [&](const FunctionView&,
                             const Instance& instance) -> absl::Status {
      if (instance.instruction->name() == bad) {
        return absl::DataLossError("broken: " + bad);
      }
      return absl::OkStatus();
    };
    EXPECT_THAT(runner->Run(step(), 4, execute),
                StatusIs(absl::StatusCode::kDataLoss, "broken: " + bad));
    EXPECT_THAT(runner->Run(step(), 4, execute),
                StatusIs(absl::StatusCode::kDataLoss, "broken: " + bad));
  }
}

TEST_F(LaneRunnerTest, AWaitWithoutProgressEndsAtItsDeadline) {
  // Nobody signals: the fetch hangs until the test lets it go.
  const auto runner =
      LaneRunner::Create(view_, kThreads, std::chrono::milliseconds(100))
          .value();
  std::atomic<bool> release = false;
  std::thread liberator([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    release = true;
  });
  EXPECT_THAT(
      runner->Run(step(), 4,
                  [&](const FunctionView&, const Instance& instance) {
                    while (instance.instruction->name() == "fetch first" &&
                           !release) {
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }
                    return absl::OkStatus();
                  }),
      StatusIs(absl::StatusCode::kDeadlineExceeded,
               "waited 100 ms for event 0 of instruction 3 of 'step' (fetch "
               "'fetch first', lane 'communication'), in instruction 6 of "
               "'step' (launch 'predict', lane 'compute')"));
  liberator.join();
}

// A lane that is slow but alive is no reason to stop: the other one waits for
// much longer than the timeout.
TEST_F(LaneRunnerTest, ASlowLaneIsNoFalseAlarm) {
  const auto runner =
      LaneRunner::Create(view_, kThreads, std::chrono::milliseconds(400))
          .value();
  EXPECT_OK(runner->Run(
      step(), 10, [&](const FunctionView&, const Instance& instance) {
        if (instance.instruction->lane() == kCompute) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return absl::OkStatus();
      }));
}

// The same of another rank: a lane waits for it, and it gets on.
TEST_F(LaneRunnerTest, ASlowRankIsNoFalseAlarm) {
  std::atomic<uint64_t> beats = 0;
  const auto runner =
      LaneRunner::Create(view_, kThreads, std::chrono::milliseconds(100), [&] {
        return beats.load();
      }).value();
  EXPECT_OK(runner->Run(
      step(), 1, [&](const FunctionView&, const Instance& instance) {
        if (instance.instruction->name() == "fetch first") {
          for (int i = 0; i < 50; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ++beats;
          }
        }
        return absl::OkStatus();
      }));
}

}  // namespace
}  // namespace accel::testing
