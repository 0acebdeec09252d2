// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutator of plans, and what it makes read: a small share of what the
// fuzzer tries, in every `tools/check`.
#include "test/fuzz/plan_mutator.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "test/fuzz/memory_vfs.h"
#include "test/fuzz/plan_reading.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

constexpr uint32_t kRounds = 600;

std::string FileOf(const SamplePlan& plan) {
  MemoryVfs vfs;
  EXPECT_OK(WriteSamplePlan(vfs, plan, "plan"));
  return vfs.Content("plan");
}

TEST(MutatePlanTest, ThePlansThemselvesAreSound) {
  EXPECT_OK(ReadPlan(FileOf(MakeSamplePlan())));
  EXPECT_OK(ReadPlan(FileOf(MakeShardedPlan(20))));
}

TEST(MutatePlanTest, TheSameSeedMakesTheSame) {
  const google::protobuf::LogSilencer quiet;  // about bytes that are no UTF-8
  const std::string file = FileOf(MakeSamplePlan());
  EXPECT_EQ(MutatePlan(file, 7), MutatePlan(file, 7));
  EXPECT_NE(MutatePlan(file, 7), MutatePlan(file, 8));
}

TEST(MutatePlanTest, WhatIsNoPlanIsNotChanged) {
  EXPECT_EQ(MutatePlan("", 1), std::nullopt);
  EXPECT_EQ(MutatePlan(std::string(100, '\xff'), 1), std::nullopt);
}

// Otherwise the fuzzer would begin with plans that are refused at once.
TEST(MutatePlanTest, TheCorpusIsOfThisFormat) {
  int plans = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ACCEL_FUZZ_CORPUS "/plan")) {
    if (entry.path().filename().string().starts_with("sound")) {
      std::ifstream stream(entry.path(), std::ios::binary);
      EXPECT_OK(
          ReadPlan(std::string(std::istreambuf_iterator<char>(stream), {})))
          << entry.path() << ": docs/testing.md says how to write it anew";
      ++plans;
    }
  }
  EXPECT_EQ(plans, 2);
}

// Its hashes are right, so that every check behind them is reached; it is
// refused or sound, and nothing crashes.
TEST(MutatePlanTest, WhatIsMadeIsReadBehindItsHashes) {
  const google::protobuf::LogSilencer quiet;
  int sound = 0;
  int refused = 0;
  for (const SamplePlan& plan : {MakeSamplePlan(), MakeShardedPlan(20)}) {
    const std::string file = FileOf(plan);
    for (uint32_t seed = 0; seed < kRounds; ++seed) {
      const auto mutated = MutatePlan(file, seed);
      ASSERT_TRUE(mutated.has_value());
      const absl::Status status = ReadPlan(*mutated);
      ASSERT_FALSE(absl::IsDataLoss(status)) << seed << ": " << status;
      ++(status.ok() ? sound : refused);
    }
  }
  EXPECT_GT(sound, kRounds / 20);
  EXPECT_GT(refused, kRounds / 4);
}

}  // namespace
}  // namespace accel::testing
