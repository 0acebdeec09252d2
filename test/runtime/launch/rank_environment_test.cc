// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which environments make a rank, and what is said of the others.
#include "runtime/launch/rank_environment.h"

#include <map>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<std::optional<RankEnvironment>> Parse(
    const Variables& variables, Launchers launchers = Launchers::kAll) {
  return ParseRankEnvironment(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      launchers);
}

TEST(RankEnvironmentTest, WithoutItsVariablesThereIsNoRank) {
  EXPECT_THAT(Parse({{"MASTER_PORT", "no number"}, {"LOCAL_RANK", "1"}}),
              IsOkAndHolds(::testing::Eq(std::nullopt)));
}

TEST(RankEnvironmentTest, TorchrunsVariablesMakeARank) {
  ASSERT_OK_AND_ASSIGN(const auto rank,
                       Parse({{"RANK", "1"},
                              {"LOCAL_RANK", "1"},
                              {"WORLD_SIZE", "3"},
                              {"LOCAL_WORLD_SIZE", "3"},
                              {"MASTER_ADDR", "10.0.0.1"},
                              {"MASTER_PORT", "29500"},
                              {"TORCHELASTIC_RUN_ID", "x/y"}}));
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 1u);
  EXPECT_EQ(rank->ranks, 3u);
  EXPECT_EQ(rank->port, 29500);
  EXPECT_EQ(rank->run_id, "x/y");
  EXPECT_EQ(rank->launcher, 0);
}

TEST(RankEnvironmentTest, RankAndWorldSizeSuffice) {
  ASSERT_OK_AND_ASSIGN(const auto rank,
                       Parse({{"RANK", "2"}, {"WORLD_SIZE", "3"}}));
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 2u);
  EXPECT_EQ(rank->port, 0);
}

TEST(RankEnvironmentTest, OurLaunchersVariablesComeBack) {
  RankEnvironment environment;
  environment.rank = 4;
  environment.ranks = 5;
  environment.port = 17;
  environment.run_id = "launcher-33";
  environment.launcher = 33;
  environment.restarts = 2;
  environment.resume = "auto";
  environment.failure_note = 7;
  Variables variables;
  for (const std::string& variable : RankVariables(environment)) {
    const size_t equals = variable.find('=');
    variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  ASSERT_OK_AND_ASSIGN(const auto rank, Parse(variables));
  ASSERT_TRUE(rank);
  EXPECT_EQ(RankVariables(*rank), RankVariables(environment));
  // Without our launcher they are nobody's.
  variables.erase("ACCEL_LAUNCHER_PID");
  ASSERT_OK_AND_ASSIGN(const auto foreign, Parse(variables));
  EXPECT_EQ(foreign->restarts, 0u);
  EXPECT_EQ(foreign->resume, "");
  EXPECT_EQ(foreign->failure_note, -1);
}

TEST(RankEnvironmentTest, HalfAnEnvironmentIsRefused) {
  EXPECT_THAT(Parse({{"WORLD_SIZE", "2"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the environment has WORLD_SIZE=2 and no RANK: expected "
                       "both, as launchers set them, or none; unset WORLD_SIZE "
                       "to run alone"));
  EXPECT_THAT(Parse({{"RANK", "0"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the environment has RANK=0 and no WORLD_SIZE: expected "
                       "both, as launchers set them, or none; unset RANK to "
                       "run alone"));
}

TEST(RankEnvironmentTest, EveryWrongNumberIsNamed) {
  EXPECT_THAT(Parse({{"RANK", "3"}, {"WORLD_SIZE", "3"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the environment of a rank: RANK: expected a number "
                       "between 0 and 2, got '3'"));
  EXPECT_THAT(
      Parse({{"RANK", "0"}, {"WORLD_SIZE", "two"}, {"MASTER_PORT", "65536"}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "the environment of a rank:\n"
               "  - WORLD_SIZE: expected a number between 1 and 1024, got "
               "'two'\n"
               "  - MASTER_PORT: expected a number between 0 and 65535, got "
               "'65536'"));
}

TEST(RankEnvironmentTest, SeveralHostsAreRefused) {
  EXPECT_THAT(Parse({{"RANK", "2"},
                     {"LOCAL_RANK", "0"},
                     {"WORLD_SIZE", "4"},
                     {"LOCAL_WORLD_SIZE", "2"}}),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "LOCAL_WORLD_SIZE is 2 and WORLD_SIZE is 4: ranks on "
                       "more than one host are not supported; start all ranks "
                       "on one host"));
}

TEST(RankEnvironmentTest, LocalNumbersThatContradictAreRefused) {
  EXPECT_THAT(
      Parse({{"RANK", "2"}, {"LOCAL_RANK", "0"}, {"WORLD_SIZE", "4"}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "the environment of a rank: on one host expected LOCAL_RANK = "
               "RANK and LOCAL_WORLD_SIZE = WORLD_SIZE, got 0 and 2, 4 and 4"));
}

const Variables kOpenMpi = {
    {"OMPI_COMM_WORLD_RANK", "1"},          {"OMPI_COMM_WORLD_SIZE", "2"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
    {"PMIX_NAMESPACE", "prterun-host-7@1"}, {"PMIX_RANK", "1"}};
const Variables kMpich = {{"PMI_RANK", "1"},
                          {"PMI_SIZE", "2"},
                          {"MPI_LOCALRANKID", "1"},
                          {"MPI_LOCALNRANKS", "2"}};
const Variables kSlurm = {
    {"SLURM_PROCID", "1"},  {"SLURM_NTASKS", "2"},
    {"SLURM_LOCALID", "1"}, {"SLURM_JOB_ID", "77"},
    {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_NODES", "1"}};

TEST(RankEnvironmentTest, OtherLaunchersCountLikeTorchrun) {
  for (const auto& [variables, run] :
       {std::pair(kOpenMpi, "prterun-host-7@1"), std::pair(kMpich, ""),
        std::pair(kSlurm, "77.0")}) {
    ASSERT_OK_AND_ASSIGN(const auto rank, Parse(variables));
    ASSERT_TRUE(rank);
    EXPECT_EQ(rank->rank, 1u);
    EXPECT_EQ(rank->ranks, 2u);
    EXPECT_EQ(rank->run_id, run);
    // Who says -n in a shell of theirs means that.
    EXPECT_THAT(Parse(variables, Launchers::kTorchrun),
                IsOkAndHolds(::testing::Eq(std::nullopt)));
    // What torchrun sets inside of them is what is meant.
    Variables both = variables;
    both["RANK"] = "3";
    both["WORLD_SIZE"] = "4";
    ASSERT_OK_AND_ASSIGN(const auto inner, Parse(both));
    EXPECT_EQ(inner->rank, 3u);
  }
}

TEST(RankEnvironmentTest, ABatchScriptIsNoRank) {
  Variables script = kSlurm;
  script.erase("SLURM_STEP_ID");
  EXPECT_THAT(Parse(script), IsOkAndHolds(::testing::Eq(std::nullopt)));
}

TEST(RankEnvironmentTest, SeveralHostsOfOtherLaunchersAreRefused) {
  Variables mpi = kOpenMpi;
  mpi["OMPI_COMM_WORLD_SIZE"] = "4";
  EXPECT_THAT(Parse(mpi),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "OMPI_COMM_WORLD_LOCAL_SIZE is 2 and "
                       "OMPI_COMM_WORLD_SIZE is 4: ranks on more than one host "
                       "are not supported; start all ranks on one host"));
  Variables slurm = kSlurm;
  slurm["SLURM_STEP_NUM_NODES"] = "2";
  slurm["SLURM_LOCALID"] = "0";
  EXPECT_THAT(Parse(slurm),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "SLURM_STEP_NUM_NODES is 2: ranks on more than one host "
                       "are not supported; start all ranks on one host"));
}

TEST(RankEnvironmentTest, HalfAnEnvironmentOfOtherLaunchersIsRefused) {
  EXPECT_THAT(Parse({{"PMI_RANK", "0"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the environment has PMI_RANK=0 and no PMI_SIZE: "
                       "expected both, as launchers set them, or none; unset "
                       "PMI_RANK to run alone"));
  EXPECT_THAT(Parse({{"PMIX_RANK", "0"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the environment has PMIX_RANK=0 and does not say how "
                       "many ranks there are; set RANK and WORLD_SIZE, or "
                       "unset PMIX_RANK to run alone"));
}

}  // namespace
}  // namespace accel::runtime
