// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bucket is in which buffer when: what the solver makes of layers and of
// random programs, and that the verifier finds every way to be wrong.
#include "passes/Schedule/BucketLiveRanges.h"

#include <gtest/gtest.h>

#include "llvm/ADT/STLExtras.h"

#include <random>
#include <set>

namespace accel {
namespace {

using LiveRanges = std::vector<BucketLiveRange>;

/// The same numbers in every run: a failure can be repeated.
std::mt19937 seeded(unsigned seed) { return std::mt19937(seed); }

BucketUses usesOf(const std::vector<std::vector<unsigned>> &instructions) {
  BucketUses uses;
  for (const std::vector<unsigned> &buckets : instructions) {
    uses.instructions.emplace_back(buckets.begin(), buckets.end());
  }
  return uses;
}

/// Layers that are used in runs, as real ones are, with here and there an
/// instruction that uses up to `most`.
BucketUses randomUses(std::mt19937 &random, unsigned most = 2) {
  BucketUses uses;
  unsigned buckets = 1 + random() % 6;
  unsigned instructions = random() % 40;
  unsigned current = 0;
  for (unsigned i = 0; i < instructions; ++i) {
    if (random() % 3 == 0) {
      current = random() % buckets;
    }
    uses.instructions.push_back({current});
    for (unsigned more = 1; more < most; ++more) {
      unsigned other = random() % buckets;
      if (!llvm::is_contained(uses.instructions.back(), other) &&
          random() % 4 == 0) {
        uses.instructions.back().push_back(other);
      }
    }
  }
  return uses;
}

std::string text(const LiveRanges &liveRanges) {
  std::string out;
  for (const BucketLiveRange &each : liveRanges) {
    out += std::to_string(each.bucket) + "@" + std::to_string(each.buffer) +
           "[" + std::to_string(each.first) + "," + std::to_string(each.last) +
           "]" + std::to_string(each.before) + " ";
  }
  return out;
}

TEST(BucketLiveRangesTest, NothingIsUsedInNoLiveRange) {
  EXPECT_TRUE(BucketUses().solve().empty());
  EXPECT_EQ(BucketUses().verify({}), "");
}

TEST(BucketLiveRangesTest, TheLastLayersStayWhereForwardTurnsIntoBackward) {
  BucketUses uses = usesOf({{0}, {1}, {2}, {3}, {3}, {2}, {1}, {0}});
  EXPECT_EQ(text(uses.solve()), "0@0[0,0]-1 1@1[1,1]-1 2@0[2,5]0 3@1[3,4]1 "
                                "1@1[6,6]3 0@0[7,7]2 ");
}

TEST(BucketLiveRangesTest, ABucketComesBackAfterTwoOthersOnly) {
  EXPECT_EQ(text(usesOf({{0}, {1}, {0}, {1}, {0}}).solve()),
            "0@0[0,4]-1 1@1[1,3]-1 ");
  EXPECT_EQ(text(usesOf({{0}, {1}, {2}, {0}}).solve()),
            "0@0[0,0]-1 1@1[1,1]-1 2@0[2,2]0 0@1[3,3]1 ");
}

TEST(BucketLiveRangesTest, AnInstructionMayUseBothBuffers) {
  EXPECT_EQ(text(usesOf({{0}, {1}, {2, 1}, {3, 2}}).solve()),
            "0@0[0,0]-1 1@1[1,2]-1 2@0[2,3]0 3@1[3,3]1 ");
}

TEST(BucketLiveRangesTest, AnInstructionThatUsesThreeHasThreeBuffers) {
  BucketUses uses = usesOf({{0}, {1}, {2, 0, 1}, {3}});
  EXPECT_EQ(uses.countBuffers(), 3u);
  EXPECT_EQ(text(uses.solve()), "0@0[0,2]-1 1@1[1,2]-1 2@2[2,2]-1 3@0[3,3]0 ");
  EXPECT_EQ(usesOf({{0}}).countBuffers(), 2u);
}

TEST(BucketLiveRangesTest, EverySolutionIsAccepted) {
  std::mt19937 random = seeded(7);
  for (int round = 0; round < 2000; ++round) {
    BucketUses uses = randomUses(random, 2 + round % 3);
    LiveRanges liveRanges = uses.solve();
    ASSERT_EQ(uses.verify(liveRanges), "") << text(liveRanges);
  }
}

// Counted here and not by the verifier.
TEST(BucketLiveRangesTest,
     NoMoreBucketsAreAliveThanThereAreBuffersAndEveryUseFindsItsOwn) {
  std::mt19937 random = seeded(8);
  for (int round = 0; round < 2000; ++round) {
    BucketUses uses = randomUses(random, 2 + round % 3);
    LiveRanges liveRanges = uses.solve();
    for (unsigned i = 0; i < uses.instructions.size(); ++i) {
      std::multiset<unsigned> alive;
      std::set<unsigned> buffers;
      for (const BucketLiveRange &each : liveRanges) {
        if (each.first <= i && i <= each.last) {
          alive.insert(each.bucket);
          buffers.insert(each.buffer);
        }
      }
      ASSERT_LE(alive.size(), uses.countBuffers()) << text(liveRanges);
      ASSERT_EQ(buffers.size(), alive.size()) << text(liveRanges);
      for (unsigned bucket : uses.instructions[i]) {
        ASSERT_EQ(alive.count(bucket), 1u) << text(liveRanges);
      }
    }
  }
}

TEST(BucketLiveRangesTest, ABucketIsNotSentAwayWhileLessThanTwoOthersAreUsed) {
  std::mt19937 random = seeded(9);
  for (int round = 0; round < 2000; ++round) {
    BucketUses uses = randomUses(random);
    LiveRanges liveRanges = uses.solve();
    for (size_t later = 0; later < liveRanges.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (liveRanges[earlier].bucket != liveRanges[later].bucket) {
          continue;
        }
        std::set<unsigned> others;
        for (unsigned i = liveRanges[earlier].last; i < liveRanges[later].first;
             ++i) {
          others.insert(uses.instructions[i].begin(),
                        uses.instructions[i].end());
        }
        others.erase(liveRanges[later].bucket);
        ASSERT_GE(others.size(), 2u) << text(liveRanges);
      }
    }
  }
}

/// Every way to change one number of one live range so that something is wrong.
std::vector<LiveRanges> damage(const LiveRanges &good) {
  std::vector<LiveRanges> all;
  for (size_t i = 0; i < good.size(); ++i) {
    auto change = [&](auto edit) {
      LiveRanges bad = good;
      edit(bad[i]);
      all.push_back(bad);
    };
    change([](BucketLiveRange &each) { each.bucket += 100; });
    change([](BucketLiveRange &each) { each.buffer = kBucketBuffers; });
    change([](BucketLiveRange &each) { ++each.first; });
    change([](BucketLiveRange &each) { --each.last; });
    change([](BucketLiveRange &each) { each.last = 1000; });
    if (good.size() > 1) { // A single one may be in either buffer.
      change([](BucketLiveRange &each) { each.buffer = 1 - each.buffer; });
    }
    for (int before = -1; before < static_cast<int>(good.size()); ++before) {
      if (before != good[i].before) {
        change([&](BucketLiveRange &each) { each.before = before; });
      }
    }
    LiveRanges missing = good;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(missing);
  }
  return all;
}

TEST(BucketLiveRangesTest, EveryDamageIsFound) {
  std::mt19937 random = seeded(10);
  size_t count = 0;
  for (int round = 0; round < 300; ++round) {
    BucketUses uses = randomUses(random);
    LiveRanges good = uses.solve();
    for (const LiveRanges &bad : damage(good)) {
      ++count;
      ASSERT_NE(uses.verify(bad), "")
          << "good " << text(good) << "\nbad  " << text(bad);
    }
  }
  EXPECT_GT(count, 1000u);
}

TEST(BucketLiveRangesTest, TheFirstUseThatNoLiveRangeCoversIsNamed) {
  BucketUses uses = usesOf({{0}, {1}, {0}});
  EXPECT_EQ(uses.verify({{0, 0, 0, 1, -1}, {1, 1, 1, 1, -1}}),
            "expected bucket 0 in one buffer at instruction 2, got it in 0");
  EXPECT_EQ(uses.verify({{0, 0, 0, 2, -1}, {0, 1, 2, 2, -1}}),
            "expected bucket 1 in one buffer at instruction 1, got it in 0");
}

TEST(BucketLiveRangesTest, TwoBucketsInOneBufferAreNamed) {
  BucketUses uses = usesOf({{0}, {1}, {0}});
  EXPECT_EQ(uses.verify({{0, 0, 0, 2, -1}, {1, 0, 1, 1, -1}}),
            "expected one bucket in buffer 0, got 0 and 1 at instruction 1");
}

// A gather is placed behind the live range before: one that names no live
// range, or an older one, would overwrite what is in use.
TEST(BucketLiveRangesTest, AWrongLiveRangeBeforeIsNamed) {
  BucketUses uses = usesOf({{0}, {1}, {2}, {3}, {4}});
  LiveRanges liveRanges = uses.solve();
  ASSERT_EQ(liveRanges[4].before, 2);
  liveRanges[4].before = -1;
  EXPECT_EQ(uses.verify(liveRanges),
            "expected live range 4 behind 2 in its buffer, got behind -1");
  liveRanges[4].before = 0;
  EXPECT_EQ(uses.verify(liveRanges),
            "expected live range 4 behind 2 in its buffer, got behind 0");
}

} // namespace
} // namespace accel
