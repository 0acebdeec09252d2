// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting of ranges over threads.
#include "runtime/device/thread_team.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using runtime::PartOf;
using runtime::ThreadTeam;
using runtime::WorkRange;

TEST(ThreadTeamTest, PartsCoverTheRangeInOrderAtMultiplesOfTheGrain) {
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

TEST(ThreadTeamTest, PartsOfHugeRangesDoNotOverflow) {
  const WorkRange last = PartOf(0, INT64_MAX, 1, 15, 16);
  EXPECT_EQ(last.end, INT64_MAX);
  EXPECT_GT(last.begin, 0);
}

TEST(ThreadTeamTest, EveryElementIsVisitedOnce) {
  const ThreadTeam team(2);
  team.Adopt();
  std::vector<std::atomic<int>> visits(1001);
  team.ParallelFor(0, 1001, 10, [&](int thread, int64_t begin, int64_t end) {
    EXPECT_LT(thread, 2);
    for (int64_t i = begin; i < end; ++i) {
      ++visits[i];
    }
  });
  for (const auto& count : visits) {
    EXPECT_EQ(count, 1);
  }
}

TEST(ThreadTeamTest, EmptyRangesCallNobody) {
  const ThreadTeam team(2);
  team.ParallelFor(5, 5, 1, [](int, int64_t, int64_t) { FAIL(); });
  EXPECT_GE(runtime::AvailableCores(), 1);
}

}  // namespace
}  // namespace accel::testing
