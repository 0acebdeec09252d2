// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs run once on each of their workers, which are the same threads every
// time.
#include "runtime/base/worker_threads.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::testing::ElementsAre;

constexpr std::chrono::seconds kLong(20);

std::string Owner() { return "the workers"; }

TEST(WorkerThreadsTest, AJobRunsOnceOnEachOfItsWorkers) {
  const auto workers = WorkerThreads::Create(3, "a test").value();
  EXPECT_EQ(workers->count(), 3);
  std::vector<int> runs(3);
  for (int count : {3, 1, 2}) {
    const auto job = [&](int worker) { ++runs[worker]; };
    workers->Start(count, job);
    ASSERT_OK(workers->WaitUntilDone(Deadline::After(kLong), Owner));
  }
  EXPECT_THAT(runs, ElementsAre(3, 2, 1));
}

TEST(WorkerThreadsTest, AWorkerIsAlwaysTheSameThread) {
  const auto workers = WorkerThreads::Create(2, "a test").value();
  std::vector<std::thread::id> first(2);
  std::vector<std::thread::id> second(2);
  std::atomic<bool> knows_itself = true;
  for (std::vector<std::thread::id>* ids : {&first, &second}) {
    const auto job = [&](int worker) {
      (*ids)[worker] = std::this_thread::get_id();
      knows_itself = knows_itself && workers->IsWorker(worker) &&
                     !workers->IsWorker(1 - worker);
    };
    workers->Start(2, job);
    ASSERT_OK(workers->WaitUntilDone(Deadline::After(kLong), Owner));
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[1]);
  EXPECT_TRUE(knows_itself);
  EXPECT_FALSE(workers->IsWorker(0));
}

TEST(WorkerThreadsTest, AJobThatTakesTooLongGoesOn) {
  const auto workers = WorkerThreads::Create(1, "a test").value();
  std::atomic<bool> release = false;
  const auto job = [&](int) {
    while (!release) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  workers->Start(1, job);
  EXPECT_THAT(workers->WaitUntilDone(
                  Deadline::After(std::chrono::milliseconds(30)), Owner),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 30 ms for the workers"));
  release = true;
  EXPECT_OK(workers->WaitUntilDone(Deadline::After(kLong), Owner));
}

TEST(WorkerThreadsTest, NoneIsDoneAtOnce) {
  const auto workers = WorkerThreads::Create(0, "a test").value();
  const auto job = [](int) { ADD_FAILURE(); };
  workers->Start(0, job);
  EXPECT_OK(workers->WaitUntilDone(Deadline::After(kLong), Owner));
}

}  // namespace
}  // namespace accel::runtime
