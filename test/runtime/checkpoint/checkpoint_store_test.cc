// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, order, removal, and every operation that fails.
#include "runtime/checkpoint/checkpoint_store.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::CheckpointManifest;
using runtime::CheckpointStore;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CheckpointStoreTest : public ::testing::Test {
 protected:
  static CheckpointManifest Manifest(int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    return manifest;
  }
  absl::Status Save(runtime::Vfs& vfs, int64_t step) {
    CheckpointStore store(vfs, dir_.path());
    RETURN_IF_ERROR(store.Begin(step));
    RETURN_IF_ERROR(runtime::WriteFileAtomically(
        vfs, store.NewFolder(step) + "/state", "bytes"));
    return store.Commit(step, Manifest(step));
  }
  std::vector<int64_t> List() {
    return *CheckpointStore(*vfs_, dir_.path()).List();
  }
  std::vector<std::string> Names() {
    return *vfs_->List(dir_.File("checkpoints"));
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
};

TEST_F(CheckpointStoreTest, WhatIsDamagedMakesRoomAndStays) {
  CheckpointStore store(*vfs_, dir_.path());
  for (const char* aside :
       {"damaged-step-00000050", "damaged-step-00000050-2"}) {
    ASSERT_OK(Save(*vfs_, 50));
    ASSERT_OK(store.SetAside(50));
    EXPECT_THAT(List(), IsEmpty());
    EXPECT_THAT(Names(), Contains(aside));
  }
  ASSERT_OK(Save(*vfs_, 50));
  ASSERT_OK(store.Prune({1, 0}));
  EXPECT_THAT(Names(),
              UnorderedElementsAre("damaged-step-00000050",
                                   "damaged-step-00000050-2", "step-00000050"));
}

TEST_F(CheckpointStoreTest, ListsTheNewestFirst) {
  EXPECT_THAT(List(), IsEmpty());
  for (const int64_t step : {50, 200, 100, 123'456'789}) {
    ASSERT_OK(Save(*vfs_, step));
  }
  EXPECT_THAT(List(), ElementsAre(123'456'789, 200, 100, 50));
  EXPECT_THAT(Names(), ElementsAre("step-00000050", "step-00000100",
                                   "step-00000200", "step-123456789"));
}

TEST_F(CheckpointStoreTest, IsNothingBeforeItsNameAndNeverChanged) {
  CheckpointStore store(*vfs_, dir_.path());
  ASSERT_OK(store.Begin(50));
  EXPECT_THAT(List(), IsEmpty());
  ASSERT_OK(store.Commit(50, Manifest(50)));
  EXPECT_THAT(List(), ElementsAre(50));
  EXPECT_EQ(runtime::ReadManifest(*vfs_, store.Folder(50))->step, 50);
  EXPECT_THAT(store.Begin(50).message(),
              HasSubstr("there is a checkpoint of this step already"));
}

TEST_F(CheckpointStoreTest, KeepsTheNewestAndThoseOfEverySoManySteps) {
  for (int64_t step = 10; step <= 80; step += 10) {
    ASSERT_OK(Save(*vfs_, step));
  }
  CheckpointStore store(*vfs_, dir_.path());
  ASSERT_OK(store.Prune({.keep = 2, .keep_every = 30}));
  EXPECT_THAT(Names(), ElementsAre("step-00000030", "step-00000060",
                                   "step-00000070", "step-00000080"));
}

TEST_F(CheckpointStoreTest, RemovesWhatWasLeftByTheDead) {
  CheckpointStore store(*vfs_, dir_.path());
  ASSERT_OK(store.Begin(10));
  dir_.Write("checkpoints/.new-step-00000010/state", "half");
  std::filesystem::create_directory(
      dir_.File("checkpoints/.old-step-00000005"));
  ASSERT_OK(Save(*vfs_, 20));
  EXPECT_THAT(Names(), ElementsAre("step-00000020"));
}

TEST_F(CheckpointStoreTest, AnAbandonedOneLeavesNothing) {
  CheckpointStore store(*vfs_, dir_.path());
  ASSERT_OK(store.Begin(10));
  dir_.Write("checkpoints/.new-step-00000010/state", "half");
  store.Abandon(10);
  EXPECT_THAT(Names(), IsEmpty());
}

// The manifest is on the disk before the folder has its name, and that is
// before anybody hears of it. Folders whose names must stay are synced.
TEST_F(CheckpointStoreTest, SyncsBeforeItRenamesAndTheFolderAfter) {
  Faults faults;
  FaultyVfs faulty(*vfs_, faults);
  CheckpointStore store(faulty, dir_.path());
  ASSERT_OK(store.Begin(1));
  EXPECT_THAT(faults.log, ElementsAre("make directory", "sync directory",
                                      "make directory"));
  faults.log.clear();
  ASSERT_OK(store.Commit(1, Manifest(1)));
  EXPECT_THAT(faults.log,
              ElementsAre("open", "write", "sync", "close", "rename",
                          "sync directory", "rename", "sync directory"));
}

// What is half removed has no name: a rename stands before all removals.
TEST_F(CheckpointStoreTest, RemovesNothingThatHasItsName) {
  ASSERT_OK(Save(*vfs_, 1));
  ASSERT_OK(Save(*vfs_, 2));
  Faults faults;
  faults.fail_at = 0;
  FaultyVfs faulty(*vfs_, faults);
  EXPECT_FALSE(CheckpointStore(faulty, dir_.path()).Prune({.keep = 1}).ok());
  EXPECT_THAT(faults.log, ElementsAre("rename"));
  EXPECT_THAT(List(), ElementsAre(2, 1));
  EXPECT_OK(runtime::ReadManifest(
      *vfs_, CheckpointStore(*vfs_, dir_.path()).Folder(1)));
}

// Whatever operation fails, the older one is whole, and so is what has its
// name; and the next save succeeds.
TEST_F(CheckpointStoreTest, NoFailedOperationLosesAnything) {
  ASSERT_OK(Save(*vfs_, 1));
  int64_t step = 1;
  for (int fail_at = 0;; ++fail_at) {
    Faults faults;
    faults.fail_at = fail_at;
    FaultyVfs faulty(*vfs_, faults);
    const int64_t next = ++step;
    const absl::Status status = Save(faulty, next);
    for (const int64_t there : List()) {
      EXPECT_OK(runtime::ReadManifest(
          *vfs_, CheckpointStore(*vfs_, dir_.path()).Folder(there)));
    }
    if (status.ok()) {
      EXPECT_EQ(List().front(), next);
      EXPECT_LE(faults.operations, fail_at);
      EXPECT_GT(fail_at, 10);
      return;
    }
    EXPECT_EQ(List().back(), 1);
    ASSERT_OK(Save(*vfs_, ++step)) << faults.log[fail_at];
  }
}

}  // namespace
}  // namespace accel::testing
