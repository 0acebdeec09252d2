// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a plan keeps averages they are read in place of parameters; what has
// none is read as it is.
#include "runtime/export/averages.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/export/model_file.h"
#include "runtime/io/safetensors.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;

// The sample plan with an average of its trained segment.
SamplePlan MakeAveragingPlan() {
  SamplePlan sample = MakeSamplePlan();
  planpb::Slot* slot =
      sample.manifest.mutable_buckets(0)->mutable_segments(0)->add_slots();
  slot->set_name("average");
  slot->set_buffer(sample.BufferIndex("gradient"));
  return sample;
}

TEST(AveragesTest, AreReadInPlaceOfWhatTrains) {
  SampleState state(MakeAveragingPlan());
  ASSERT_OK(state.executor().Initialize());
  ASSERT_OK(runtime::CheckAverages(state.plan()));
  std::vector<float> average(kFeatures);
  for (size_t i = 0; i < average.size(); ++i) {
    average[i] = 0.25f * static_cast<float>(i) - 7;
  }
  ASSERT_OK_AND_ASSIGN(const auto place,
                       runtime::FindParameter(
                           state.plan(), state.plan().manifest().parameters(0),
                           runtime::kAverageSlot));
  ASSERT_TRUE(place);
  ASSERT_OK(state.executor().WriteHeld(
      place->slot, place->first,
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(average.data()),
                          average.size() * sizeof(float))));
  const auto write = [&](const runtime::ParameterReader& read,
                         const char* file) {
    ASSERT_OK(runtime::WriteModelFile(state.vfs(), state.plan_file(), read,
                                      state.dir().File(file),
                                      runtime::ExportRole::kWriter));
  };
  write(runtime::ReadAveragesFrom(state.plan(), state.executor()),
        "averages.safetensors");
  write(runtime::ReadFrom(state.executor()), "model.safetensors");
  std::string expected = state.dir().Read("model.safetensors");
  const std::string weights = TempDir::Bytes(kInitialWeights);
  const size_t at = expected.find(weights);
  ASSERT_NE(at, std::string::npos);
  expected.replace(at, weights.size(), TempDir::Bytes(average));
  EXPECT_EQ(state.dir().Read("averages.safetensors"), expected);
}

TEST(NoAveragesTest, PlansAndCheckpointsWithoutAreRefused) {
  SampleState state;
  EXPECT_THAT(runtime::CheckAverages(state.plan()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("compile it with accelc --ema=0.999")));
  ASSERT_OK(state.executor().Initialize());
  runtime::CheckpointStore store(state.vfs(), state.dir().path());
  ASSERT_OK(store.Begin(1));
  ASSERT_OK_AND_ASSIGN(const auto file, state.Write(store.NewFolder(1)));
  runtime::CheckpointManifest manifest;
  manifest.step = 1;
  manifest.optimizer = "sgd";
  manifest.files = {file};
  ASSERT_OK(store.Commit(1, manifest));
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       runtime::Checkpoint::Open(state.vfs(), store.Folder(1)));
  EXPECT_THAT(runtime::CheckAverages(*checkpoint),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("expected averages of parameters, got none")));
}

}  // namespace
}  // namespace accel::testing
