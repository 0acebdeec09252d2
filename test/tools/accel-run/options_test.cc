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

TEST(OptionsTest, TuningTrainsNothing) {
  const auto parsed = Parse({"plan", "--tune", "--cuda-libs", "lib", "-q",
                             "--timeout", "5", "--global-batch", "8"});
  EXPECT_TRUE(std::get<RunOptions>(parsed).tune);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(std::get<int>(Parse({"plan", "--tune", "--steps", "3"})), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "error: --steps does nothing with --tune, which trains nothing; "
            "leave one of them out\n");
}

TEST(OptionsTest, FaultsExitWithTwoAndSayWhatIsExpected) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"plan", "--steps", "0"},
       "--steps: expected a whole number between 1 and 2147483648, got '0'; "
       "without a step, --evaluate measures the loss, and accel-inspect run "
       "RUN --export FILE writes the model of a checkpoint"},
      {{"plan", "--steps", "-1"},
       "--steps: expected a whole number between 1 and 2147483648, got '-1'"},
      {{"plan", "--steps", "10x"},
       "--steps: expected a whole number, got '10x'"},
      {{"plan", "--shuffle=maybe"},
       "--shuffle: expected on or off, got 'maybe'"},
      {{"plan", "--threads", "-1"},
       "--threads: expected a whole number between 1 and 4096, got '-1'"},
      {{"plan", "-n", "0"},
       "--ranks: expected a whole number between 1 and 1024, got '0'"},
      {{"plan", "--jitter", "-1"},
       "--jitter: expected a whole number of at least 0, got '-1'"},
      {{"plan", "--timeout", "1m"}, "--timeout: expected a number, got '1m'"},
      {{"plan", "--timeout", "nan"}, "--timeout: expected a number, got 'nan'"},
      {{"plan", "--color=alway"},
       "--color: expected auto, always or never, got 'alway'; did you mean "
       "always?"},
      {{"plan", "--quiet=perhaps"},
       "--quiet: expected no value, got 'perhaps'"},
      {{"plan", "second"},
       "expected one PLAN, got 'second' too; give each file of data its own "
       "--data, or quote a pattern: --data 'shards/*.bin'"},
      {{"plan", "--telepathy"},
       "unknown option '--telepathy'; accel-run --help lists the options"},
      {{}, "expected PLAN, got none; accel-run --help lists the options"},
  };
  for (const auto& [arguments, text] : cases) {
    ::testing::internal::CaptureStderr();
    const auto parsed = Parse(arguments);
    EXPECT_EQ(std::get<int>(parsed), 2);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "error: " + text + "\n");
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

TEST(OptionsTest, APatternThatTheShellExpandedSaysHowToQuoteIt) {
  ::testing::internal::CaptureStderr();
  const auto parsed =
      Parse({"plan", "--data", "a.bin", "b.bin", "c.bin", "--steps", "3"});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::get<int>(parsed), 2);
  EXPECT_EQ(said,
            "error: expected one PLAN, got 'b.bin' and more too; give each "
            "file of data its own --data, or quote a pattern: --data "
            "'shards/*.bin'\n");
}

}  // namespace
}  // namespace accel::testing
