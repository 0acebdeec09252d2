// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a plan keeps averages they are read in place of parameters; what has
// none is read as it is.
#include "runtime/export/averages.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/step_driver.h"
#include "runtime/export/model_file.h"
#include "runtime/io/posix_vfs.h"
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

class AveragesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(WriteSamplePlan(*vfs_, MakeAveragingPlan(), dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(
        dataset_, runtime::Dataset::Open(
                      *vfs_, runtime::DataSignature(plan_->manifest()), {}));
    runtime::DeviceOptions options;
    options.threads = 1;
    device_ = runtime::CreateDevice(*vfs_, options).value();
    ASSERT_OK_AND_ASSIGN(
        executor_,
        runtime::StepDriver::Create(*vfs_, *plan_, *device_, *dataset_, {}));
    ASSERT_OK(executor_->Initialize());
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::Dataset> dataset_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::StepDriver> executor_;
};

TEST_F(AveragesTest, AreReadInPlaceOfWhatTrains) {
  ASSERT_OK(runtime::CheckAverages(plan_->view()));
  std::vector<float> average(kFeatures);
  for (size_t i = 0; i < average.size(); ++i) {
    average[i] = 0.25f * static_cast<float>(i) - 7;
  }
  ASSERT_OK_AND_ASSIGN(
      const auto place,
      runtime::FindParameter(plan_->view(), plan_->manifest().parameters(0),
                             runtime::kAverageSlot));
  ASSERT_TRUE(place);
  ASSERT_OK(executor_->WriteHeld(
      place->slot, place->first,
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(average.data()),
                          average.size() * sizeof(float))));
  ASSERT_OK(runtime::WriteModelFile(
      *vfs_, *plan_, runtime::ReadAveragesFrom(plan_->view(), *executor_),
      dir_.File("averages.safetensors"), runtime::ExportRole::kWriter));
  ASSERT_OK(runtime::WriteModelFile(
      *vfs_, *plan_, runtime::ReadFrom(*executor_),
      dir_.File("model.safetensors"), runtime::ExportRole::kWriter));
  std::string expected = dir_.Read("model.safetensors");
  const std::string weights = TempDir::Bytes(kInitialWeights);
  const size_t at = expected.find(weights);
  ASSERT_NE(at, std::string::npos);
  expected.replace(at, weights.size(), TempDir::Bytes(average));
  EXPECT_EQ(dir_.Read("averages.safetensors"), expected);
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
