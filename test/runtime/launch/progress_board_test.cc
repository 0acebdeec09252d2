// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one rank leaves on the board the others read.
#include "runtime/launch/progress_board.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::ProgressBoard;
using ::testing::HasSubstr;

TEST(ProgressBoardTest, OthersReadWhereARankIsAndWhatItNeeded) {
  ASSERT_OK_AND_ASSIGN(const auto memory, ProgressBoard::CreateMemory(2));
  ASSERT_OK_AND_ASSIGN(ProgressBoard mine, ProgressBoard::Open(memory, 2));
  ASSERT_OK_AND_ASSIGN(ProgressBoard theirs, ProgressBoard::Open(memory, 2));
  EXPECT_EQ(theirs.Of(1).function, std::nullopt);
  EXPECT_EQ(theirs.PeakOf(1), 0u);

  mine.Begin(1, 2, 7);
  mine.Note(1, 0, 12);
  mine.NotePeak(1, uint64_t{5} << 40);
  EXPECT_EQ(theirs.Of(1).function, 2u);
  EXPECT_EQ(theirs.Of(1).step, 7);
  EXPECT_EQ(theirs.Of(1).instructions[0], 12u);
  EXPECT_FALSE(theirs.Of(1).instructions[1].has_value());
  EXPECT_EQ(theirs.PeakOf(1), uint64_t{5} << 40);
  EXPECT_EQ(theirs.Of(0).function, std::nullopt);
  EXPECT_EQ(theirs.PeakOf(0), 0u);

  mine.Begin(1, 0, 0);
  EXPECT_EQ(theirs.Of(1).function, 0u);
  EXPECT_EQ(theirs.Of(1).step, 0);
  EXPECT_FALSE(theirs.Of(1).instructions[0].has_value());
}

TEST(ProgressBoardTest, MemoryForFewerRanksIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto memory, ProgressBoard::CreateMemory(1));
  EXPECT_THAT(
      ProgressBoard::Open(memory, 2),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("the ranks' board: expected 128 bytes, got ")));
}

}  // namespace
}  // namespace accel::testing
