// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run has its folder to itself, and no other folder is touched.
#include "runtime/report/run_directory.h"

#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

class RunDirectoryTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<RunDirectory>> Open(const std::string& path) {
    return RunDirectory::Open(*vfs_,
                              {path, "plans/gpt2.plan", "unused", false});
  }
  absl::StatusOr<std::unique_ptr<RunDirectory>> OpenNumbered(
      const std::string& plan) {
    return RunDirectory::Open(*vfs_, {"", plan, dir_.File("deep/runs"), false});
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(RunDirectoryTest, NumbersFromOneAndTakesTheFirstFree) {
  ASSERT_OK_AND_ASSIGN(auto first, OpenNumbered("out/gpt2.plan"));
  EXPECT_EQ(first->path(), dir_.File("deep/runs/gpt2-001"));
  ASSERT_OK(vfs_->MakeDirectory(dir_.File("deep/runs/gpt2-003")));
  ASSERT_OK_AND_ASSIGN(auto second, OpenNumbered("out/gpt2.plan"));
  EXPECT_EQ(second->path(), dir_.File("deep/runs/gpt2-002"));
  ASSERT_OK_AND_ASSIGN(auto third, OpenNumbered("out/gpt2.plan"));
  EXPECT_EQ(third->path(), dir_.File("deep/runs/gpt2-004"));
  ASSERT_OK_AND_ASSIGN(auto other, OpenNumbered("plan"));
  EXPECT_EQ(other->path(), dir_.File("deep/runs/plan-001"));
}

TEST_F(RunDirectoryTest, MakesItsFolderAndNamesItsFiles) {
  ASSERT_OK_AND_ASSIGN(auto run, Open(dir_.File("a/b")));
  EXPECT_EQ(run->metrics_path(), dir_.File("a/b/metrics.jsonl"));
  EXPECT_THAT(vfs_->List(run->path()),
              IsOkAndHolds(ElementsAre("accel-run.json", "lock")));
}

TEST_F(RunDirectoryTest, AFolderWithStepsIsForARunThatResumes) {
  const std::string path = dir_.File("run");
  ASSERT_OK(Open(path));
  // Of a run that ended before its first step.
  dir_.Write("run/metrics.jsonl", "");
  ASSERT_OK(Open(path));
  dir_.Write("run/metrics.jsonl", "{\"step\":1}\n");
  EXPECT_THAT(
      Open(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("run directory '", path,
                            "': expected one without a run, got one that holds "
                            "the steps of a run; nothing was changed; go on "
                            "with that run (--resume=auto), choose another "
                            "--run-dir, or remove the directory")));
  RunDirectoryOptions resuming;
  resuming.path = path;
  resuming.resumes = true;
  EXPECT_OK(RunDirectory::Open(*vfs_, resuming));
  EXPECT_EQ(dir_.Read("run/metrics.jsonl"), "{\"step\":1}\n");
}

TEST_F(RunDirectoryTest, AFolderInUseNamesTheProcessThatHoldsIt) {
  const std::string path = dir_.File("run");
  ASSERT_OK_AND_ASSIGN(auto run, Open(path));
  EXPECT_THAT(
      Open(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               MatchesRegex(absl::StrCat(
                   "run directory '", path, "' is in use: '", path,
                   "/lock' is locked by process ", ::getpid(),
                   " on host '[^']+'; wait for that run, stop it, or choose "
                   "another --run-dir"))));
  run.reset();
  EXPECT_OK(Open(path));
}

TEST_F(RunDirectoryTest, AForeignFolderIsRefusedAndLeftAsItIs) {
  for (const char* name : {"a.txt", "b.py", "c", "d", "e"}) {
    dir_.Write(name, "");
  }
  EXPECT_THAT(
      Open(dir_.path()),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("run directory '", dir_.path(),
                            "': expected a new, empty or earlier run's "
                            "directory, got one with other files ('a.txt', "
                            "'b.py', 'c' and 2 more); nothing was changed; "
                            "choose another --run-dir")));
  EXPECT_THAT(vfs_->List(dir_.path()),
              IsOkAndHolds(ElementsAre("a.txt", "b.py", "c", "d", "e")));
}

TEST_F(RunDirectoryTest, AFileIsNoFolder) {
  const std::string path = dir_.Write("run", "");
  EXPECT_THAT(
      Open(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("'", path, "': expected a directory, got a file")));
}

TEST_F(RunDirectoryTest, AFolderOfAnotherVersionIsRefused) {
  const std::string path = dir_.File("run");
  ASSERT_OK(vfs_->MakeDirectory(path));
  dir_.Write("run/accel-run.json",
             "{\"format\":\"accel run directory\",\"version\":3}\n");
  EXPECT_THAT(
      Open(path),
      StatusIs(
          absl::StatusCode::kFailedPrecondition,
          absl::StrCat(
              "'", path,
              "/accel-run.json': expected {\"format\":\"accel run "
              "directory\",\"version\":2}, got {\"format\":\"accel run "
              "directory\",\"version\":3}; it is of another version, choose "
              "another --run-dir")));
}

TEST_F(RunDirectoryTest, WhatAStartThatCrashedLeftIsNotForeign) {
  const std::string path = dir_.File("run");
  ASSERT_OK(vfs_->MakeDirectory(path));
  dir_.Write("run/lock", "process 1 on host 'x'\n");
  dir_.Write("run/.accel-run.json.tmp-1-0", "{");
  EXPECT_OK(Open(path));
}

}  // namespace
}  // namespace accel::runtime
