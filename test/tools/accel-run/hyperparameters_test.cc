// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --set.
#include "tools/accel-run/hyperparameters.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using tools::ResolveSettings;

planpb::Manifest ManifestWithSchedule() {
  planpb::Manifest manifest = MakeSamplePlan().manifest;
  planpb::Hyperparameter* horizon = manifest.add_hyperparameters();
  horizon->set_name("schedule_steps");
  horizon->set_buffer(7);
  horizon->set_integer(true);
  horizon->set_minimum(1);
  horizon->set_maximum(1e9);
  horizon->set_defaults_to_steps(true);
  return manifest;
}

TEST(HyperparametersTest, ValuesAndTheHorizonAreResolved) {
  ASSERT_OK_AND_ASSIGN(
      const auto settings,
      ResolveSettings(ManifestWithSchedule(), {"lr=1e-4"}, 77));
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].name, "lr");
  EXPECT_EQ(settings[0].value, 1e-4);
  EXPECT_EQ(settings[1].name, "schedule_steps");
  EXPECT_EQ(settings[1].buffer, 7u);
  EXPECT_EQ(settings[1].value, 77);
  ASSERT_OK_AND_ASSIGN(
      const auto set,
      ResolveSettings(ManifestWithSchedule(), {"schedule_steps=5"}, 77));
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set[0].value, 5);
}

TEST(HyperparametersTest, AllFaultsAreListed) {
  EXPECT_THAT(
      ResolveSettings(
          ManifestWithSchedule(),
          {"telepathy=0.9", "lr", "lr=", "lr=fast", "lr=-1", "lr=nan",
           "schedule_steps=1.5", "schedule_steps=0", "lr=1", "lr=2"},
          1),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          "hyperparameters:\n"
          "  - --set telepathy=0.9: expected one of lr, schedule_steps, got "
          "'telepathy'\n"
          "  - --set lr: expected NAME=VALUE, for example lr=1e-4\n"
          "  - --set lr: expected a number, got ''\n"
          "  - --set lr: expected a number, got 'fast'\n"
          "  - --set lr: expected a number of at least 0, got '-1'\n"
          "  - --set lr: expected a number of at least 0, got 'nan'\n"
          "  - --set schedule_steps: expected a whole number between 1 and "
          "1000000000, got '1.5'\n"
          "  - --set schedule_steps: expected a whole number between 1 and "
          "1000000000, got '0'\n"
          "  - --set lr: expected one value, got several"));
}

}  // namespace
}  // namespace accel::testing
