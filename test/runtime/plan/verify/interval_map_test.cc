// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of bytes against an array that holds a value per byte.
#include "runtime/plan/verify/interval_map.h"

#include <vector>

#include "gtest/gtest.h"
#include "runtime/random/philox.h"

namespace accel::testing {
namespace {

TEST(IntervalMapTest, DoesWhatAnArrayDoes) {
  constexpr uint64_t kSize = 50;
  runtime::IntervalMap<int> map;
  std::vector<int> array(kSize, 0);
  for (uint64_t round = 0; round < 2000; ++round) {
    const uint64_t a = runtime::RandomWord(3, 1, round, 0) % kSize;
    const uint64_t b = runtime::RandomWord(3, 1, round, 1) % kSize;
    const uint64_t begin = std::min(a, b);
    const uint64_t end = std::max(a, b);
    const int value = static_cast<int>(round);
    if (round % 2 == 0) {
      map.Assign(begin, end, value);
      std::fill(array.begin() + begin, array.begin() + end, value);
    } else {
      map.Update(begin, end, [](int& v) { v += 1; });
      for (uint64_t i = begin; i < end; ++i) {
        array[i] += 1;
      }
    }
    for (uint64_t i = 0; i < kSize; ++i) {
      int found = 0;
      map.ForEach(i, i + 1, [&](const int& v) {
        found = v;
        return true;
      });
      ASSERT_EQ(found, array[i]) << "round " << round << ", byte " << i;
    }
  }
}

TEST(IntervalMapTest, EmptyRangesTouchNothing) {
  runtime::IntervalMap<int> map;
  map.Assign(5, 5, 1);
  int visited = 0;
  map.ForEach(0, 100, [&](const int&) {
    ++visited;
    return true;
  });
  EXPECT_EQ(visited, 0);
}

}  // namespace
}  // namespace accel::testing
