// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting of ranges over threads.
#include "runtime/device/cpu/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using runtime::PartOf;
using runtime::ThreadPool;
using runtime::WorkRange;

TEST(ThreadPoolTest, PartsCoverTheRangeInOrderAtMultiplesOfTheGrain) {
  for (const int64_t begin : {0, 3}) {
    for (const int64_t size : {0, 1, 7, 64, 1000}) {
      for (const int64_t grain : {1, 4, 100}) {
        for (const int parts : {1, 2, 3, 16}) {
          int64_t next = begin;
          for (int part = 0; part < parts; ++part) {
            const WorkRange range =
                PartOf(begin, begin + size, grain, part, parts);
            if (range.begin == range.end) {
              continue;
            }
            EXPECT_EQ(range.begin, next);
            EXPECT_EQ((range.begin - begin) % grain, 0);
            next = range.end;
          }
          EXPECT_EQ(next, begin + size);
        }
      }
    }
  }
}

TEST(ThreadPoolTest, PartsOfHugeRangesDoNotOverflow) {
  const WorkRange last = PartOf(0, INT64_MAX, 1, 15, 16);
  EXPECT_EQ(last.end, INT64_MAX);
  EXPECT_GT(last.begin, 0);
}

TEST(ThreadPoolTest, EveryElementIsVisitedOnce) {
  const ThreadPool pool = ThreadPool::Create(2).value();
  std::vector<std::atomic<int>> visits(1001);
  pool.ParallelFor(0, 1001, 10, [&](int thread, int64_t begin, int64_t end) {
    EXPECT_LT(thread, 2);
    for (int64_t i = begin; i < end; ++i) {
      ++visits[i];
    }
  });
  for (const auto& count : visits) {
    EXPECT_EQ(count, 1);
  }
}

// With more threads than cores, and as many calls as it takes that threads
// spin, yield and sleep.
TEST(ThreadPoolTest, EveryCallDoesAllItsWorkAndSeesTheOneBefore) {
  constexpr int64_t kElements = 50;
  for (const int threads : {2, 3, 7}) {
    const ThreadPool pool = ThreadPool::Create(threads).value();
    std::vector<int64_t> values(kElements, 0);  // not atomic
    std::vector<int64_t> shifted(kElements, 0);
    for (int64_t call = 1; call <= 2000; ++call) {
      pool.ParallelFor(0, kElements, 3, [&](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          shifted[i] = values[(i + call) % kElements] + 1;
        }
      });
      pool.ParallelFor(0, kElements, 1, [&](int, int64_t begin, int64_t end) {
        std::copy(&shifted[begin], &shifted[end - 1] + 1, &values[begin]);
      });
      ASSERT_THAT(values, ::testing::Each(call));
      if (call % 500 == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(12));
      }
    }
  }
}

TEST(ThreadPoolTest, AThreadHasOnePartAtATime) {
  constexpr int kThreads = 5;
  const ThreadPool pool = ThreadPool::Create(kThreads).value();
  std::vector<std::atomic<int>> working(kThreads);
  for (int call = 0; call < 500; ++call) {
    pool.ParallelFor(0, 40, 1, [&](int thread, int64_t, int64_t) {
      ASSERT_LT(thread, kThreads);
      EXPECT_EQ(working[thread]++, 0);
      --working[thread];
    });
  }
}

// One part begins and does not end before all others have: they are those of
// the thread that is stuck, too.
TEST(ThreadPoolTest, OthersDoWhatAStuckThreadHasNotBegun) {
  constexpr int64_t kElements = 1024;
  for (const int threads : {2, 4}) {
    const ThreadPool pool = ThreadPool::Create(threads).value();
    // Waiting long for the others, a pool begins to hand out small parts.
    pool.ParallelFor(0, threads, 1, [](int thread, int64_t, int64_t) {
      if (thread != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    std::atomic<int64_t> done = 0;
    std::atomic<bool> is_first = true;
    pool.ParallelFor(0, kElements, 1, [&](int, int64_t begin, int64_t end) {
      if (is_first.exchange(false)) {
        while (done.load() < kElements - (end - begin)) {
          std::this_thread::yield();
        }
      }
      done += end - begin;
    });
    EXPECT_EQ(done, kElements);
  }
}

// So short that a call is often over before its workers have woken up.
TEST(ThreadPoolTest, WorkersThatComeLateDelayNobodyAndTouchNoCallThatEnded) {
  const ThreadPool pool = ThreadPool::Create(4).value();
  for (int call = 0; call < 20000; ++call) {
    // Gone when the call has returned: a worker that used it later would be
    // found by the sanitizers.
    const auto visits = std::make_unique<std::atomic<int>>(0);
    pool.ParallelFor(call, call + 5, 2, [&](int, int64_t begin, int64_t end) {
      *visits += static_cast<int>(end - begin);
    });
    ASSERT_EQ(*visits, 5);
  }
}

TEST(ThreadPoolTest, MoreGrainsThanAWordCountsAreHandedOutInLargerPieces) {
  const ThreadPool pool = ThreadPool::Create(2).value();
  std::atomic<int64_t> sum = 0;
  pool.ParallelFor(7, INT64_MAX, 3, [&](int, int64_t begin, int64_t end) {
    EXPECT_EQ((begin - 7) % 3, 0);
    sum += end - begin;
  });
  EXPECT_EQ(sum, INT64_MAX - 7);
}

TEST(ThreadPoolTest, AnyThreadMayCallAndPoolsWorkSideBySide) {
  constexpr int kCallers = 3;
  std::vector<int64_t> counts(kCallers, 0);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&counts, caller] {
      ThreadPool pool = ThreadPool::Create(2).value();
      for (int turn = 0; turn < 2; ++turn) {
        std::thread([&] {
          for (int round = 0; round < 200; ++round) {
            std::atomic<int64_t> sum = 0;
            pool.ParallelFor(0, 64, 1, [&](int, int64_t begin, int64_t end) {
              sum += end - begin;
            });
            counts[caller] += sum;
          }
        }).join();
      }
    });
  }
  for (std::thread& each : callers) {
    each.join();
  }
  EXPECT_THAT(counts, ::testing::Each(2 * 200 * 64));
}

TEST(ThreadPoolTest, OneGrainIsTheCallersWork) {
  const ThreadPool pool = ThreadPool::Create(2).value();
  const auto caller = std::this_thread::get_id();
  pool.ParallelFor(0, 8, 8, [&](int thread, int64_t begin, int64_t end) {
    EXPECT_EQ(thread, 0);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 8);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ThreadPoolTest, EmptyRangesCallNobody) {
  const ThreadPool pool = ThreadPool::Create(2).value();
  pool.ParallelFor(5, 5, 1, [](int, int64_t, int64_t) { FAIL(); });
  EXPECT_GE(runtime::AvailableCores(), 1);
}

}  // namespace
}  // namespace accel::testing
