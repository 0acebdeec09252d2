// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that are threads: order by events, overlap, errors that reach
// everybody, deadlines.
#include "runtime/device/cpu/cpu_streams.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/status_macros.h"
#include "runtime/random/philox.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::CpuStreams;
using runtime::FunctionView;
using runtime::Instance;
using runtime::MemoryLayout;
using runtime::Operations;
using runtime::StreamOptions;
using runtime::Watchdog;

constexpr std::chrono::seconds kTimeout(20);

using Execute = std::function<absl::Status(const Instance&)>;

class TestClient : public runtime::StreamClient {
 public:
  TestClient(const FunctionView& function, Watchdog& watchdog)
      : function_(function), watchdog_(watchdog) {}

  void Begin(const Instance&) override { ++begun; }
  absl::Status Issue(const Instance& instance, Operations&) override {
    return execute(instance);
  }
  absl::Status Finish(const Instance&, Clock::time_point begin,
                      Clock::time_point end) override {
    timed += begin != Clock::time_point() && begin <= end;
    watchdog_.NoteProgress();
    return finish;
  }
  std::string Describe(const Instance& instance) const override {
    return instance.instruction->name();
  }
  std::string DescribeWait(uint32_t event,
                           const Instance& waiter) const override {
    return absl::StrCat(
        "event ", event, " of '",
        function_.instructions()[function_.SignallerOf(event)].name(),
        "', in '", waiter.instruction->name(), "'");
  }

  Execute execute;
  absl::Status finish;
  std::atomic<int> begun = 0;
  std::atomic<int> timed = 0;

 private:
  const FunctionView& function_;
  Watchdog& watchdog_;
};

class CpuStreamsTest : public ::testing::Test {
 protected:
  CpuStreamsTest() : view_(*ViewOf(MakeSamplePlan())) {
    layout_ = std::make_unique<MemoryLayout>(
        MemoryLayout::Create(view_, runtime::RankBinding()).value());
    memory_ = runtime::CpuMemory::Create(view_, *layout_).value();
    MakeStreams(kTimeout);
  }

  const FunctionView& step() {
    return *view_.FindFunction(planpb::FUNCTION_STEP);
  }

  // Compute on the calling thread, communication on one of its own.
  void MakeStreams(std::chrono::nanoseconds timeout,
                   std::function<uint64_t()> other_progress = nullptr) {
    watchdog_ = std::make_unique<Watchdog>(timeout, std::move(other_progress));
    client_ = std::make_unique<TestClient>(step(), *watchdog_);
    options_.watchdog = watchdog_.get();
    streams_ =
        CpuStreams::Create(view_, code_, *memory_, pool_, *client_, options_)
            .value();
  }

  absl::Status Run(uint64_t repetitions, Execute execute) {
    client_->execute = std::move(execute);
    streams_->Reset();
    absl::Status status =
        step().Walk(repetitions, [&](const Instance& instance) {
          return streams_->Enqueue(step(), repetitions, instance);
        });
    status.Update(
        streams_->Synchronize([] { return std::string("the streams"); }));
    return status;
  }

  runtime::PlanView view_;
  const runtime::CpuCode code_;
  const runtime::ThreadPool pool_;
  std::unique_ptr<MemoryLayout> layout_;
  std::unique_ptr<runtime::CpuMemory> memory_;
  StreamOptions options_;
  std::unique_ptr<Watchdog> watchdog_;
  std::unique_ptr<TestClient> client_;
  std::unique_ptr<CpuStreams> streams_;
};

TEST_F(CpuStreamsTest, RunsEveryInstanceOnceAndEachStreamOnItsThread) {
  std::mutex mutex;
  std::vector<std::set<std::thread::id>> threads(2);
  for (int call = 0; call < 3; ++call) {
    std::vector<int> count(step().instructions().size(), 0);
    ASSERT_OK(Run(5, [&](const Instance& instance) {
      std::lock_guard<std::mutex> lock(mutex);
      ++count[instance.instruction->id()];
      threads[instance.instruction->stream()].insert(
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
  EXPECT_EQ(client_->begun, 3 * 36);
  EXPECT_EQ(client_->timed, 0);
}

// Program order, in which events between streams never make one wait for
// itself.
TEST_F(CpuStreamsTest, SerialStreamsRunInTheOrderOfTheProgram) {
  options_.serial = true;
  options_.timed = true;
  MakeStreams(kTimeout);
  std::vector<uint32_t> ran;
  ASSERT_OK(Run(2, [&](const Instance& instance) {
    ran.push_back(instance.instruction->id());
    return absl::OkStatus();
  }));
  EXPECT_THAT(ran, ::testing::ElementsAre(0, 1, 2, 3, 5, 6, 7, 8, 9, 5, 6, 7, 8,
                                          9, 10, 11, 12, 13, 14, 15, 16));
  EXPECT_EQ(client_->timed, 21);
}

TEST_F(CpuStreamsTest, MoreWorkThanTheQueuesHoldIsDoneOnTheWay) {
  constexpr uint64_t kRepetitions = CpuStreams::kQueueLength;
  std::atomic<uint64_t> ran = 0;
  ASSERT_OK(Run(kRepetitions, [&](const Instance&) {
    ++ran;
    return absl::OkStatus();
  }));
  EXPECT_EQ(ran, 11 + 5 * kRepetitions);
}

// Whatever the pauses, no instruction begins before what it waits for is done.
TEST_F(CpuStreamsTest, EventsHoldUnderRandomDelays) {
  constexpr uint64_t kRounds = 6;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<std::atomic<uint64_t>> done(step().instructions().size());
    std::atomic<uint64_t> ticket = 0;
    ASSERT_OK(Run(kRounds, [&](const Instance& instance) -> absl::Status {
      const planpb::Instruction& instruction = *instance.instruction;
      for (const planpb::Wait& wait : instruction.waits()) {
        const uint64_t wanted = step().RequiredCount(
            wait, instruction.id(), instance.iteration, kRounds);
        if (done[step().SignallerOf(wait.event())] < wanted) {
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
TEST_F(CpuStreamsTest, StreamsOverlap) {
  absl::Notification fetching, computing;
  const auto meet = [](absl::Notification& mine, absl::Notification& other) {
    mine.Notify();
    return other.WaitForNotificationWithTimeout(absl::FromChrono(kTimeout) / 2)
               ? absl::OkStatus()
               : absl::DeadlineExceededError("the other stream has not begun");
  };
  EXPECT_OK(Run(3, [&](const Instance& instance) -> absl::Status {
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

TEST_F(CpuStreamsTest, AnErrorEndsAllStreamsAndEveryLaterRun) {
  for (const std::string bad : {"fetch next", "gradient", "update"}) {
    MakeStreams(kTimeout);
    const auto execute = [&](const Instance& instance) -> absl::Status {
      if (instance.instruction->name() == bad) {
        return absl::DataLossError("broken: " + bad);
      }
      return absl::OkStatus();
    };
    EXPECT_THAT(Run(4, execute),
                StatusIs(absl::StatusCode::kDataLoss, "broken: " + bad));
    EXPECT_THAT(Run(4, execute),
                StatusIs(absl::StatusCode::kDataLoss, "broken: " + bad));
  }
}

// The end of another rank, say, which only who finishes an instruction sees.
TEST_F(CpuStreamsTest, TheClientEndsTheStreams) {
  client_->finish = absl::UnavailableError("rank 1: gone");
  std::atomic<int> ran = 0;
  EXPECT_THAT(Run(4,
                  [&](const Instance&) {
                    ++ran;
                    return absl::OkStatus();
                  }),
              StatusIs(absl::StatusCode::kUnavailable, "rank 1: gone"));
  EXPECT_LE(ran, 2);
}

TEST_F(CpuStreamsTest, AWaitWithoutProgressEndsAtItsDeadline) {
  // Nobody signals: the fetch hangs until the test lets it go.
  MakeStreams(std::chrono::milliseconds(100));
  std::atomic<bool> release = false;
  std::thread liberator([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    release = true;
  });
  EXPECT_THAT(
      Run(4,
          [&](const Instance& instance) {
            while (instance.instruction->name() == "fetch first" && !release) {
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return absl::OkStatus();
          }),
      StatusIs(absl::StatusCode::kDeadlineExceeded,
               "waited 100 ms for event 0 of 'fetch first', in "
               "'predict'"));
  liberator.join();
}

// A stream that is slow but alive is no reason to stop: the other one waits for
// much longer than the timeout.
TEST_F(CpuStreamsTest, ASlowStreamIsNoFalseAlarm) {
  MakeStreams(std::chrono::milliseconds(400));
  EXPECT_OK(Run(10, [&](const Instance& instance) {
    if (instance.instruction->stream() == kCompute) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return absl::OkStatus();
  }));
}

// The same of another rank: a stream waits for it, and it gets on.
TEST_F(CpuStreamsTest, ASlowRankIsNoFalseAlarm) {
  std::atomic<uint64_t> beats = 0;
  MakeStreams(std::chrono::milliseconds(100), [&] { return beats.load(); });
  EXPECT_OK(Run(1, [&](const Instance& instance) {
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
