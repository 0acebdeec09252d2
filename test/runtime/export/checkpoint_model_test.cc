// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that comes from a checkpoint has the bytes of the one that comes from
// the executor that saved it.
#include "runtime/export/checkpoint_model.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/export/model_file.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::Checkpoint;
using runtime::CheckpointManifest;
using runtime::ExportRole;
using ::testing::HasSubstr;

class CheckpointModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(state_.executor().Initialize());
    ASSERT_OK(state_.executor().RunStep(0));
    runtime::CheckpointStore store(state_.vfs(), state_.dir().path());
    ASSERT_OK(store.Begin(1));
    ASSERT_OK_AND_ASSIGN(const auto file, state_.Write(store.NewFolder(1)));
    CheckpointManifest manifest;
    manifest.step = 1;
    manifest.optimizer = "one that the plan has not";
    manifest.files = {file};
    ASSERT_OK(store.Commit(1, manifest));
    folder_ = store.Folder(1);
    file_ = "checkpoints/step-00000001/" + file.name;
    ASSERT_OK_AND_ASSIGN(
        plan_, runtime::Plan::Open(state_.vfs(), state_.dir().File("plan")));
  }

  SampleState state_;
  std::string folder_, file_;
  std::unique_ptr<runtime::Plan> plan_;
};

TEST_F(CheckpointModelTest, HasTheBytesOfTheExecutors) {
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       Checkpoint::Open(state_.vfs(), folder_));
  ASSERT_OK(runtime::CheckModelOf(plan_->view(), *checkpoint));
  for (const std::string ending : {".onnx", ".safetensors"}) {
    const std::string ours = "ours" + ending;
    const std::string theirs = "theirs" + ending;
    ASSERT_OK(runtime::WriteModelFile(
        state_.vfs(), *plan_, runtime::ReadFrom(*checkpoint),
        state_.dir().File(ours), ExportRole::kWriter));
    ASSERT_OK(runtime::WriteModelFile(
        state_.vfs(), *plan_, runtime::ReadFrom(state_.executor()),
        state_.dir().File(theirs), ExportRole::kWriter));
    EXPECT_EQ(state_.dir().Read(ours), state_.dir().Read(theirs));
    EXPECT_FALSE(state_.dir().Read(ours).empty());
  }
}

TEST_F(CheckpointModelTest, DamagedDataMakeNoFile) {
  std::string bytes = state_.dir().Read(file_);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  state_.dir().Write(file_, bytes);
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       Checkpoint::Open(state_.vfs(), folder_));
  const std::string path = state_.dir().File("m.safetensors");
  EXPECT_THAT(runtime::WriteModelFile(state_.vfs(), *plan_,
                                      runtime::ReadFrom(*checkpoint), path,
                                      ExportRole::kWriter),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("are not those that were written")));
  EXPECT_FALSE(state_.vfs().Stat(path).ok());
}

TEST_F(CheckpointModelTest, AnotherModelIsRefusedWithWhatDiffers) {
  SamplePlan other = MakeSamplePlan();
  other.manifest.mutable_parameters(0)->set_name("head.weight");
  ASSERT_OK(WriteSamplePlan(state_.vfs(), other, state_.dir().File("other")));
  ASSERT_OK_AND_ASSIGN(
      const auto plan,
      runtime::Plan::Open(state_.vfs(), state_.dir().File("other")));
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       Checkpoint::Open(state_.vfs(), folder_));
  EXPECT_THAT(runtime::CheckModelOf(plan->view(), *checkpoint),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "'" + folder_ +
                           "': expected the state of the plan's model, got no "
                           "'head.weight/master'; name a plan of the model "
                           "that was trained"));
}

TEST_F(CheckpointModelTest, TheNameSaysTheFormat) {
  EXPECT_THAT(runtime::CheckModelFile(*plan_, "m.pt"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "expected a name that ends in .onnx or .safetensors"));
  EXPECT_OK(runtime::CheckModelFile(*plan_, "m.onnx"));
  EXPECT_OK(runtime::CheckModelFile(*plan_, "m.safetensors"));
}

}  // namespace
}  // namespace accel::testing
