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

// A plan whose learning rate is constant unless --set says otherwise.
planpb::Manifest ManifestWithChoices() {
  planpb::Manifest manifest = ManifestWithSchedule();
  planpb::Hyperparameter* schedule = manifest.add_hyperparameters();
  schedule->set_name("schedule");
  schedule->set_buffer(8);
  for (const char* name : {"constant", "cosine", "wsd"}) {
    schedule->add_choices(name);
  }
  planpb::Hyperparameter* decay = manifest.add_hyperparameters();
  decay->set_name("decay_steps");
  decay->set_buffer(9);
  decay->set_maximum(1e9);
  decay->add_read_by_schedules("wsd");
  return manifest;
}

TEST(HyperparametersTest, ChoicesAreSetByName) {
  ASSERT_OK_AND_ASSIGN(const auto settings,
                       ResolveSettings(ManifestWithChoices(),
                                       {"decay_steps=5", "schedule=wsd"}, 77));
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[1].value, 2);
  EXPECT_THAT(ResolveSettings(ManifestWithChoices(), {"schedule=cosin"}, 77),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "hyperparameters: --set schedule: expected constant, "
                       "cosine or wsd, got 'cosin'; did you mean cosine?"));
}

TEST(HyperparametersTest, WhatTheScheduleDoesNotReadCannotBeSet) {
  EXPECT_THAT(ResolveSettings(ManifestWithChoices(), {"decay_steps=5"}, 77),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "hyperparameters: --set decay_steps: expected --set "
                       "schedule=wsd with it, got constant; without it the "
                       "hyperparameter does nothing"));
  EXPECT_THAT(ResolveSettings(ManifestWithChoices(), {"schedule=wsd"}, 77),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "hyperparameters: --set schedule=wsd: expected the "
                       "length of the decay with it, got none; for example "
                       "--set decay_steps=200"));
}

}  // namespace
}  // namespace accel::testing
