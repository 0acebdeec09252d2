// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines say who speaks and how grave it is, and nothing below the level.
#include "runtime/base/logger.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LineSink Into(std::vector<std::string>& lines) {
  return [&lines](absl::string_view line) { lines.emplace_back(line); };
}

TEST(LoggerTest, OneRankHasNoPrefix) {
  std::vector<std::string> lines;
  const Logger logger(LogLevel::kInfo, 0, 1, Into(lines));
  logger.Debug("hidden %d", 1);
  logger.Info("step %d", 3);
  logger.Warning("slow");
  logger.Error("'%s' is gone", "a.bin");
  EXPECT_THAT(lines,
              ElementsAre("step 3", "warning: slow", "error: 'a.bin' is gone"));
}

TEST(LoggerTest, SeveralRanksArePrefixed) {
  std::vector<std::string> lines;
  const Logger logger(LogLevel::kDebug, 3, 8, Into(lines));
  logger.Debug("here");
  logger.Error("lost");
  EXPECT_THAT(lines, ElementsAre("[rank 3] here", "[rank 3] error: lost"));
}

TEST(LoggerTest, FurtherLinesOfAMessageAreIndented) {
  std::vector<std::string> lines;
  Logger(LogLevel::kInfo, 0, 1, Into(lines)).Info("two:\n- a\n- b");
  EXPECT_THAT(lines, ElementsAre("two:\n  - a\n  - b"));
}

TEST(LoggerTest, ALoggerAtLevelSilentSaysNothing) {
  std::vector<std::string> lines;
  const Logger logger(LogLevel::kSilent, 0, 1, Into(lines));
  logger.Error("lost");
  logger.Log(LogLevel::kSilent, "not a level to log at");
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_FALSE(Logger::Silent().Enabled(LogLevel::kError));
}

}  // namespace
}  // namespace accel::runtime
