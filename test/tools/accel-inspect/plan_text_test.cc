// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people and programs see of a plan.
#include "tools/accel-inspect/plan_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container/container_format.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"
#include "tools/accel-inspect/plan_json.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class PlanTextTest : public ::testing::Test {
 protected:
  PlanTextTest() {
    EXPECT_OK(WriteSamplePlan(*vfs_, MakeSamplePlan(), dir_.File("plan")));
    plan_ = *runtime::Plan::Open(*vfs_, dir_.File("plan"));
  }
  runtime::MemoryLayout Layout() const {
    return *runtime::MemoryLayout::Create(plan_->view(),
                                          runtime::RankBinding());
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan_;
};

TEST_F(PlanTextTest, TheSummarySaysWhatItTrainsAndNeeds) {
  const std::string text = tools::SummaryText(*plan_, Layout());
  EXPECT_THAT(text, HasSubstr("plan 'regression'\n"));
  EXPECT_THAT(text, HasSubstr("parameters  11 in 2 tensors, 3 trainable\n"));
  EXPECT_THAT(text, HasSubstr("input       x f32[2, 3]\n"));
  EXPECT_THAT(text, HasSubstr("target      t f32[2]\n"));
  EXPECT_THAT(text, HasSubstr("set         lr=0.125\n"));
  EXPECT_THAT(text, HasSubstr("batch       6 samples in microbatches of 2\n"));
  EXPECT_THAT(text, HasSubstr("memory      1.5 KiB a rank: parameters 128 B"));
  EXPECT_THAT(
      text,
      HasSubstr("code        x86-64, 96 B, 64 vector lanes; needs sse2\n"));
}

TEST_F(PlanTextTest, BucketsAndParametersHaveTheirPlaces) {
  EXPECT_EQ(tools::BucketsText(plan_->view()),
            "buckets\n"
            "  block0       decayed                  16 f32   master gradient\n"
            "  block0       frozen                    8 f32   master\n");
  EXPECT_THAT(tools::ParametersText(plan_->view()),
              HasSubstr("f32[2, 4]        block0.frozen+0, frozen\n"));
}

// Streams stand side by side, phases above them, events at both ends.
TEST_F(PlanTextTest, TheStepReadsFromTopToBottom) {
  const std::string text = tools::FunctionText(
      plan_->view(), *plan_->view().FindFunction(planpb::FUNCTION_STEP), 120);
  EXPECT_THAT(text,
              HasSubstr(" forward\n"
                        "    6   (wait 0) (wait 2-1) predict [0, 2)  x, w "
                        "-> prediction\n"));
  EXPECT_THAT(text, HasSubstr("gradient [0, 3)  x, scaled, gradient -> "
                              "gradient (signal 1)\n"));
  EXPECT_THAT(text, HasSubstr("(wait 1-1) fetch the next microbatch  -> x', "
                              "t', sample_weights', sample_indices' (signal "
                              "2)\n"));
  EXPECT_THAT(text, HasSubstr(" report\n"));
  const size_t fetch = text.find("fetch this microbatch");
  const size_t line = text.rfind('\n', fetch);
  EXPECT_GT(fetch - line, 60u);  // in the communication stream's column
}

TEST_F(PlanTextTest, JsonHasEverything) {
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       tools::PlanJson(*plan_, Layout()));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["version"], 5);
  EXPECT_EQ(json["format"], absl::StrCat(runtime::kPlanFormatMajor, ".",
                                         runtime::kPlanFormatMinor));
  EXPECT_THAT(json["sha256"].get<std::string>(), MatchesRegex("[0-9a-f]{64}"));
  EXPECT_EQ(json["manifest"]["model"]["name"], "regression");
  EXPECT_EQ(json["memory_bytes"]["parameters"], 128);
  EXPECT_EQ(json["memory_bytes"]["transient"], 256);
  ASSERT_EQ(json["functions"].size(), 2u);
  const auto& step = json["functions"][1];
  EXPECT_EQ(step["name"], "step");
  EXPECT_EQ(step["instructions"].size(), 17u);
  EXPECT_EQ(step["instructions"][6]["name"], "predict");
  EXPECT_EQ(step["instructions"][6]["waits"][1]["distance"], 1);
}

}  // namespace
}  // namespace accel::testing
