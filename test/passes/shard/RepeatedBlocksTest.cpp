// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which repetitions of a sequence count as the blocks of a model.
#include "passes/Shard/RepeatedBlocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace accel {
namespace {

/// "begin length count" of the blocks of a sequence of letters.
std::vector<int64_t> find(const std::string &letters) {
  std::vector<int64_t> sequence(letters.begin(), letters.end());
  RepeatedBlocks blocks = findRepeatedBlocks(sequence);
  return {blocks.begin, blocks.length, blocks.count};
}

using Blocks = std::vector<int64_t>;

TEST(RepeatedBlocks, AreFoundBetweenWhatComesBeforeAndAfter) {
  EXPECT_EQ(find("xyabcabcabcz"), (Blocks{2, 3, 3}));
}

TEST(RepeatedBlocks, BeginAsEarlyAsPossible) {
  // What follows the blocks looks like the beginning of another one.
  EXPECT_EQ(find("xabcabcab"), (Blocks{1, 3, 2}));
}

TEST(RepeatedBlocks, AreAsShortAsPossible) {
  EXPECT_EQ(find("abababab"), (Blocks{0, 2, 4}));
}

TEST(RepeatedBlocks, MayRepeatInside) {
  EXPECT_EQ(find("aabcaabc"), (Blocks{0, 4, 2}));
}

TEST(RepeatedBlocks, AreNotRunsOfOneElement) {
  EXPECT_EQ(find("aaaa"), (Blocks{0, 0, 0}));
  EXPECT_EQ(find("xaaay"), (Blocks{0, 0, 0}));
}

TEST(RepeatedBlocks, CoverHalfOfTheSequence) {
  EXPECT_EQ(find("ababqrstuv"), (Blocks{0, 0, 0}));
  EXPECT_EQ(find("ababqrst"), (Blocks{0, 2, 2}));
}

TEST(RepeatedBlocks, NeedARepetition) {
  EXPECT_EQ(find(""), (Blocks{0, 0, 0}));
  EXPECT_EQ(find("a"), (Blocks{0, 0, 0}));
  EXPECT_EQ(find("abcdef"), (Blocks{0, 0, 0}));
}

} // namespace
} // namespace accel
