// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A state that was saved is that of the executor that loads it.
#include "runtime/checkpoint/restore.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::Checkpoint;
using runtime::CheckpointManifest;
using runtime::CheckpointStore;
using runtime::Executor;
using ::testing::HasSubstr;

class RestoreTest : public ::testing::Test {
 protected:
  void Save(CheckpointManifest manifest) {
    ASSERT_OK(saved_.executor().Initialize());
    ASSERT_OK(saved_.executor().RunStep(0));
    CheckpointStore store(saved_.vfs(), saved_.dir().path());
    ASSERT_OK(store.Begin(1));
    ASSERT_OK_AND_ASSIGN(const auto file, saved_.Write(store.NewFolder(1)));
    manifest.step = 1;
    manifest.files = {file};
    ASSERT_OK_AND_ASSIGN(
        manifest.scalars,
        runtime::ReadScalars(saved_.plan(), saved_.executor()));
    ASSERT_OK(store.Commit(1, manifest));
    folder_ = store.Folder(1);
  }
  CheckpointManifest Fitting() {
    CheckpointManifest manifest;
    manifest.optimizer = saved_.plan().manifest().optimizer().kind();
    return manifest;
  }

  SampleState saved_, loaded_;
  std::string folder_;
};

TEST_F(RestoreTest, PutsBackWhatTrainingHasMade) {
  Save(Fitting());
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       Checkpoint::Open(loaded_.vfs(), folder_));
  ASSERT_OK(runtime::CheckFits(loaded_.plan(), *checkpoint));
  int calls = 0;
  ASSERT_OK(loaded_.executor().Initialize(
      [&](Executor& rank, Executor::RestoredPart part) {
        ++calls;
        return runtime::RestorePart(loaded_.plan(), *checkpoint, rank, part);
      }));
  EXPECT_EQ(calls, 2);
  for (const auto& tensor : loaded_.Tensors()) {
    EXPECT_EQ(loaded_.Read(tensor), saved_.Read(tensor)) << tensor.name;
  }
  // Not what the plan's file says.
  EXPECT_EQ(*saved_.executor().RunStep(1), *loaded_.executor().RunStep(1));
}

TEST_F(RestoreTest, AnotherOptimizerIsRefusedWithTheRemedy) {
  CheckpointManifest manifest = Fitting();
  manifest.optimizer = "lion";
  Save(manifest);
  ASSERT_OK_AND_ASSIGN(const auto checkpoint,
                       Checkpoint::Open(loaded_.vfs(), folder_));
  EXPECT_THAT(runtime::CheckFits(loaded_.plan(), *checkpoint).message(),
              HasSubstr("compile the plan with --optimizer=lion"));
}

TEST_F(RestoreTest, AMissingManifestIsNotFound) {
  EXPECT_EQ(
      Checkpoint::Open(loaded_.vfs(), loaded_.dir().path()).status().code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace accel::testing
