// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run.json is read as far as it goes, and is not trusted.
#include "tools/accel-inspect/run_record.h"

#include <string>

#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using tools::RunRecord;

TEST(RunRecordTest, FindsTextsNumbersAndWhatIsInside) {
  ASSERT_OK_AND_ASSIGN(
      const auto record,
      RunRecord::Parse(R"({"version": 1, "plan": "a/plan", "seed": 7,
                           "shuffle": false, "list": [1],
                           "resumed": {"from": "f", "step": 4}})"));
  EXPECT_EQ(record.Find("plan"), "a/plan");
  EXPECT_EQ(record.Find("seed"), "7");
  EXPECT_EQ(record.Find("shuffle"), "false");
  EXPECT_EQ(record.Find("resumed.step"), "4");
  EXPECT_EQ(record.Find("resumed.none"), "");
  EXPECT_EQ(record.Find("seed.step"), "");
  EXPECT_EQ(record.Find("list"), "");
  EXPECT_EQ(record.Find("resumed"), "");
  EXPECT_EQ(record.Find("weights"), "");
}

TEST(RunRecordTest, WhatIsNoneIsSaid) {
  const auto refused = [](const std::string& text, absl::StatusCode code,
                          const std::string& message) {
    EXPECT_THAT(RunRecord::Parse(text), StatusIs(code, message)) << text;
  };
  refused("", absl::StatusCode::kInvalidArgument,
          "expected a JSON object, got no JSON");
  refused("[1]", absl::StatusCode::kInvalidArgument,
          "expected a JSON object, got array");
  refused(R"({"seed": 1})", absl::StatusCode::kUnimplemented,
          "expected version 1, got none; use the release of accel-inspect that "
          "belongs to the run's");
  refused(R"({"version": 2})", absl::StatusCode::kUnimplemented,
          "expected version 1, got 2; use the release of accel-inspect that "
          "belongs to the run's");
}

}  // namespace
}  // namespace accel::testing
