// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting of ranges over threads.
#include "runtime/device/cpu/thread_pool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
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

// With more threads than cores, and as many rounds as it takes that threads
// spin, yield and sleep.
TEST(ThreadPoolTest, EveryRoundHasAllItsPartsAndSeesTheOneBefore) {
  for (const int threads : {2, 3, 7}) {
    const ThreadPool pool = ThreadPool::Create(threads).value();
    std::vector<int64_t> sums(threads, 0);
    int64_t expected = 0;
    for (int64_t round = 1; round <= 2000; ++round) {
      pool.ParallelFor(0, threads, 1, [&](int thread, int64_t begin, int64_t) {
        ASSERT_EQ(begin, thread);
        // What another thread wrote in the round before.
        const int64_t neighbour = sums[(thread + round) % threads];
        ASSERT_GE(neighbour, expected);
      });
      pool.ParallelFor(0, threads, 1, [&](int thread, int64_t, int64_t) {
        sums[thread] += round;
      });
      expected += round;
      if (round % 500 == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(12));
      }
    }
    EXPECT_THAT(sums, ::testing::Each(expected));
  }
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
