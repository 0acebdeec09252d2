// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-run's command line.
#include "tools/accel-run/options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tools::RunOptions;

std::variant<RunOptions, int> Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "accel-run");
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  return tools::ParseOptions(static_cast<int>(argv.size()), argv.data());
}

TEST(OptionsTest, DefaultsAreEnough) {
  const auto parsed = Parse({"plan"});
  const auto& options = std::get<RunOptions>(parsed);
  EXPECT_EQ(options.plan, "plan");
  EXPECT_TRUE(options.data.empty());
  EXPECT_FALSE(options.steps.has_value());
  EXPECT_TRUE(options.shuffle);
  EXPECT_FALSE(options.serial);
  EXPECT_EQ(options.timeout_seconds, 30);
}

TEST(OptionsTest, RepeatedFlagsAndAPlanAfterThem) {
  const auto parsed =
      Parse({"--data", "x=a.npy", "--data", "t=b.npy", "--set", "lr=1",
             "--set=wd=2", "--shuffle=off", "--steps", "7", "plan"});
  const auto& options = std::get<RunOptions>(parsed);
  EXPECT_EQ(options.plan, "plan");
  EXPECT_THAT(options.data, ElementsAre("x=a.npy", "t=b.npy"));
  EXPECT_THAT(options.set, ElementsAre("lr=1", "wd=2"));
  EXPECT_FALSE(options.shuffle);
  EXPECT_EQ(options.steps, 7);
}

TEST(OptionsTest, RanksAreProcessesOrThreads) {
  EXPECT_FALSE(std::get<RunOptions>(Parse({"plan"})).ranks.has_value());
  EXPECT_EQ(std::get<RunOptions>(Parse({"plan", "-n", "3"})).ranks, 3u);
  const auto parsed = Parse({"plan", "--ranks=1024", "--log-dir", "logs"});
  EXPECT_EQ(std::get<RunOptions>(parsed).ranks, 1024u);
  EXPECT_EQ(std::get<RunOptions>(parsed).log_dir, "logs");
  EXPECT_EQ(std::get<RunOptions>(Parse({"plan", "--ranks-as-threads", "2"}))
                .ranks_as_threads,
            2);
}

TEST(OptionsTest, FaultsExitWithTwoAndNameTheOption) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"plan", "--steps", "0"}, "--steps"},
      {{"plan", "--steps", "many"}, "--steps"},
      {{"plan", "--shuffle=maybe"}, "--shuffle"},
      {{"plan", "--threads", "-1"}, "--threads"},
      {{"plan", "-n", "0"}, "--ranks"},
      {{"plan", "-n", "1025"}, "--ranks"},
      {{"plan", "--telepathy"}, "--telepathy"},
      {{}, "plan is required"},
  };
  for (const auto& [arguments, text] : cases) {
    ::testing::internal::CaptureStderr();
    const auto parsed = Parse(arguments);
    EXPECT_EQ(std::get<int>(parsed), 2);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(text));
  }
}

TEST(OptionsTest, HelpTeachesWithExamplesAndFitsAScreen) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(std::get<int>(Parse({"--help"})), 0);
  const std::string help = ::testing::internal::GetCapturedStdout();
  for (const char* text : {"Examples:", "--data", "Exit status:", "--export"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
  size_t begin = 0;
  for (size_t end = help.find('\n'); end != std::string::npos;
       begin = end + 1, end = help.find('\n', begin)) {
    EXPECT_LE(end - begin, 120u) << help.substr(begin, end - begin);
  }
}

}  // namespace
}  // namespace accel::testing
