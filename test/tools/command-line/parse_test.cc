// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wrong command line is told: every message is ours, and whole.
#include "tools/command-line/parse.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/command-line/value_checks.h"

namespace accel::testing {
namespace {

// Parses with a tool of one argument and a few options.
std::string ErrorsOf(std::vector<std::string> arguments, int expected = 2) {
  CLI::App app("A tool.", "tool");
  std::string plan;
  std::string folder;
  int64_t steps = 0;
  bool quiet = false;
  app.add_option("plan", plan)->type_name("PLAN")->required();
  app.add_option("--steps", steps)->check(tools::WholeNumber(1));
  app.add_option("--unchecked", steps)->type_name("N");
  app.add_option("--run-dir", folder);
  app.add_flag("--quiet", quiet);
  tools::CommandLineErrors errors{2, "tool --help lists the options", {}};
  errors.familiar = {{{"lr", "learning-rate"}, "write --set lr=VALUE"},
                     {{"resume"}, "there is no checkpoint to resume from"}};
  arguments.insert(arguments.begin(), "tool");
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  ::testing::internal::CaptureStderr();
  const std::optional<int> status = tools::ParseCommandLine(
      app, static_cast<int>(argv.size()), argv.data(), errors);
  EXPECT_EQ(status.value_or(0), expected);
  return ::testing::internal::GetCapturedStderr();
}

TEST(ParseCommandLineTest, ARightLineIsTaken) {
  EXPECT_EQ(ErrorsOf({"plan", "--steps", "3", "--quiet"}, 0), "");
  EXPECT_EQ(ErrorsOf({"--", "plan"}, 0), "");
}

TEST(ParseCommandLineTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(ErrorsOf({}),
            "error: expected PLAN, got none; tool --help lists the options\n");
}

TEST(ParseCommandLineTest, ValuesSayExpectedAndGot) {
  EXPECT_EQ(ErrorsOf({"plan", "--steps", "10x"}),
            "error: --steps: expected a whole number, got '10x'\n");
  EXPECT_EQ(ErrorsOf({"plan", "--steps"}),
            "error: --steps: expected one value, got none\n");
  EXPECT_EQ(ErrorsOf({"plan", "--steps=1", "--steps=2"}),
            "error: --steps: expected one value, got several\n");
  EXPECT_EQ(ErrorsOf({"plan", "--unchecked", "x"}),
            "error: --unchecked: expected N, got 'x'\n");
  EXPECT_EQ(ErrorsOf({"plan", "--quiet=perhaps"}),
            "error: --quiet: expected no value, got 'perhaps'\n");
  EXPECT_EQ(ErrorsOf({"plan", "other"}),
            "error: expected one PLAN, got 'other' too\n");
}

TEST(ParseCommandLineTest, UnknownOptionsAreAllNamed) {
  EXPECT_EQ(ErrorsOf({"plan", "--stpes", "3", "--telepathy"}),
            "error: unknown option '--stpes'; did you mean --steps?\n"
            "error: unknown option '--telepathy'; tool --help lists the "
            "options\n");
  // Also where a value is wrong, too.
  EXPECT_EQ(ErrorsOf({"plan", "--stpes", "--steps=x"}),
            "error: unknown option '--stpes'; did you mean --steps?\n"
            "error: --steps: expected a whole number, got 'x'\n");
}

// The number behind --lr is taken for the plan then, and the plan is too many:
// neither is worth a word.
TEST(ParseCommandLineTest, FamiliarOptionsAreToldWhatDoesIt) {
  EXPECT_EQ(ErrorsOf({"--lr", "1e-4", "plan"}),
            "error: unknown option '--lr'; write --set lr=1e-4\n");
  EXPECT_EQ(ErrorsOf({"plan", "--Learning_Rate=.5"}),
            "error: unknown option '--Learning_Rate'; write --set lr=.5\n");
  EXPECT_EQ(ErrorsOf({"--lr", "plan"}),
            "error: unknown option '--lr'; write --set lr=VALUE\n");
  EXPECT_EQ(ErrorsOf({"plan", "--resume"}),
            "error: unknown option '--resume'; there is no checkpoint to "
            "resume from\n");
}

// Of a tool with commands.
TEST(ParseCommandLineTest, CommandsAreListedAndTheirOptionsLookedAt) {
  const auto errors_of = [](std::vector<std::string> arguments) {
    CLI::App app("A tool.", "tool");
    app.require_subcommand(1);
    std::string output;
    CLI::App* pack = app.add_subcommand("pack", "Packs");
    app.add_subcommand("verify", "Verifies");
    pack->add_option("-o,--output", output)->type_name("FILE")->required();
    arguments.insert(arguments.begin(), "tool");
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(
        tools::ParseCommandLine(app, static_cast<int>(argv.size()), argv.data(),
                                {2, "tool --help says more"}),
        2);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(errors_of({}),
            "error: expected pack or verify, got none; tool --help says "
            "more\n");
  EXPECT_EQ(errors_of({"pakc"}),
            "error: expected pack or verify, got 'pakc'; did you mean pack?\n");
  EXPECT_EQ(errors_of({"pack"}),
            "error: expected --output FILE, got none; tool --help says "
            "more\n");
  EXPECT_EQ(errors_of({"pack", "--ouptut=a"}),
            "error: unknown option '--ouptut'; did you mean --output?\n");
}

}  // namespace
}  // namespace accel::testing
