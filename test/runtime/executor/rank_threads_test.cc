// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks as threads of one process: how many there may be, and that the failure
// of one is that of all. That they train as one rank does is shown on whole
// models (test/e2e).
#include "runtime/executor/rank_threads.h"

#include <filesystem>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::Dataset;
using runtime::DatasetOptions;
using runtime::Plan;
using runtime::RankThreads;
using runtime::RankThreadsOptions;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class RankThreadsTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 12;

  void SetUp() override {
    dir_.Write("x.npy", Npy("<f4", {kRows, kFeatures},
                            std::vector<float>(kRows * kFeatures, 0.5f)));
    dir_.Write("t.npy", Npy("<f4", {kRows}, std::vector<float>(kRows, 1.0f)));
    SamplePlan sample = MakeSamplePlan();
    sample.manifest.set_max_ranks(4);
    auto& axes = *sample.manifest.mutable_mesh()->mutable_axes();
    axes[planpb::AXIS_REPLICA - 1].set_degree(0);
    axes[planpb::AXIS_FSDP - 1].set_degree(1);
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
    DatasetOptions options;
    options.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options.shuffle = false;
    options.global_batch = kRows;
    ASSERT_OK_AND_ASSIGN(
        dataset_,
        Dataset::Open(*vfs_, runtime::DataSignature(plan_->manifest()),
                      options));
  }

  absl::StatusOr<std::unique_ptr<RankThreads>> Make(int ranks) {
    RankThreadsOptions options;
    options.ranks = ranks;
    options.executor.global_batch = kRows;
    options.executor.timeout = std::chrono::seconds(20);
    return RankThreads::Create(*vfs_, *plan_, *dataset_, options);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Dataset> dataset_;
};

TEST_F(RankThreadsTest, RanksShareTheRounds) {
  ASSERT_OK_AND_ASSIGN(const auto one, Make(1));
  ASSERT_OK_AND_ASSIGN(const auto three, Make(3));
  EXPECT_EQ(three->iterations(), (one->iterations() + 2) / 3);
  EXPECT_EQ(three->PlannedBytes(), 3 * one->PlannedBytes());
  EXPECT_THAT(three->Describe(),
              HasSubstr("3 ranks as threads of this process, each "));
}

TEST_F(RankThreadsTest, MoreRanksThanThePlanIsMadeFor) {
  EXPECT_THAT(Make(5), StatusIs(absl::StatusCode::kInvalidArgument,
                                "expected at most 4 ranks, got 5; compile with "
                                "--max-ranks=5"));
}

TEST_F(RankThreadsTest, ABufferIsWrittenOnEveryRankAndReadFromTheFirst) {
  ASSERT_OK_AND_ASSIGN(const auto ranks, Make(2));
  ASSERT_OK(ranks->Initialize());
  const planpb::Hyperparameter& lr = plan_->manifest().hyperparameters(0);
  double value = 0.125;
  ASSERT_OK(ranks->WriteBuffer(
      lr.buffer(), 0,
      absl::MakeConstSpan(reinterpret_cast<std::byte*>(&value), 8)));
  double read = 0;
  ASSERT_OK(ranks->ReadBuffer(
      lr.buffer(), 0, absl::MakeSpan(reinterpret_cast<std::byte*>(&read), 8)));
  EXPECT_EQ(read, value);
}

TEST_F(RankThreadsTest, TheRankThatFailsIsNamedAndEndsAll) {
  ASSERT_OK_AND_ASSIGN(const auto ranks, Make(2));
  ASSERT_OK(ranks->Initialize());
  ASSERT_OK(ranks->RunStep(0).status());
  std::filesystem::resize_file(dir_.File("x.npy"), 40);
  const auto failed = ranks->RunStep(1);
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.status().GetPayload(runtime::kDataErrorPayload));
  EXPECT_THAT(std::string(failed.status().message()),
              MatchesRegex("rank [01]: instruction .* of 'step' .*x.npy.*"));
  // For good.
  EXPECT_FALSE(ranks->RunStep(2).ok());
}

}  // namespace
}  // namespace accel::testing
