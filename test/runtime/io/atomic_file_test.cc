// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file is the old one or the new one, whichever operation fails.
#include "runtime/io/atomic_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Faults;
using ::accel::testing::FaultyVfs;
using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

class AtomicFileTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(AtomicFileTest, CommitSyncsBeforeItRenamesAndTheFolderAfter) {
  Faults faults;
  FaultyVfs faulty(*vfs_, faults);
  ASSERT_OK(WriteFileAtomically(faulty, dir_.File("a"), "new"));
  EXPECT_EQ(dir_.Read("a"), "new");
  EXPECT_THAT(faults.log, ElementsAre("open", "write", "sync", "close",
                                      "rename", "sync directory"));
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre("a")));
}

TEST_F(AtomicFileTest, AnErrorAtAnyOperationLeavesTheOldOrTheWholeNewFile) {
  for (int fail_at = 0; fail_at < 6; ++fail_at) {
    dir_.Write("a", "old");
    Faults faults;
    faults.fail_at = fail_at;
    FaultyVfs faulty(*vfs_, faults);
    EXPECT_FALSE(WriteFileAtomically(faulty, dir_.File("a"), "new").ok());
    // Only the folder's sync comes after the rename.
    EXPECT_EQ(dir_.Read("a"), fail_at < 5 ? "old" : "new") << fail_at;
    EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre("a")));
  }
}

TEST_F(AtomicFileTest, ShortReadsAndWritesAreContinued) {
  Faults faults;
  faults.short_io = true;
  FaultyVfs faulty(*vfs_, faults);
  ASSERT_OK(WriteFileAtomically(faulty, dir_.File("a"), "several bytes"));
  EXPECT_EQ(dir_.Read("a"), "several bytes");
  EXPECT_THAT(ReadWholeFile(faulty, dir_.File("a"), 100),
              IsOkAndHolds("several bytes"));
}

TEST_F(AtomicFileTest, AnUncommittedFileLeavesNothing) {
  ASSERT_OK_AND_ASSIGN(auto file, AtomicFile::Create(*vfs_, dir_.File("a")));
  file.reset();
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre()));
}

TEST_F(AtomicFileTest, TwoWritersOfOneFileDoNotMix) {
  ASSERT_OK_AND_ASSIGN(auto first, AtomicFile::Create(*vfs_, dir_.File("a")));
  ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("a"), "second"));
  const std::byte byte{'1'};
  ASSERT_OK(first->file().AppendAll({&byte, 1}));
  ASSERT_OK(first->Commit());
  EXPECT_EQ(dir_.Read("a"), "1");
}

TEST_F(AtomicFileTest, AMissingFolderIsNamedTogetherWithTheFile) {
  EXPECT_THAT(WriteFileAtomically(*vfs_, dir_.File("no/a"), "x"),
              StatusIs(absl::StatusCode::kNotFound,
                       MatchesRegex(absl::StrCat(
                           "cannot write '", dir_.File("no/a"),
                           "': cannot open '.*/no/\\.a\\.tmp-[0-9]+-0': No "
                           "such file or directory"))));
}

TEST_F(AtomicFileTest, ReadWholeFileRefusesMoreThanItsLimit) {
  const std::string path = dir_.Write("a", std::string(200'000, 'x'));
  EXPECT_THAT(ReadWholeFile(*vfs_, path, 200'000),
              IsOkAndHolds(::testing::SizeIs(200'000)));
  EXPECT_THAT(ReadWholeFile(*vfs_, path, 199'999),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       absl::StrCat("'", path,
                                    "': expected at most 199999 bytes, got "
                                    "more")));
}

TEST_F(AtomicFileTest, MakeDirectoriesMakesAllLevelsAndRefusesAFile) {
  ASSERT_OK(MakeDirectories(*vfs_, dir_.File("x/y/z")));
  ASSERT_OK(MakeDirectories(*vfs_, dir_.File("x/y/z")));
  ASSERT_OK_AND_ASSIGN(const FileStat stat, vfs_->Stat(dir_.File("x/y/z")));
  EXPECT_TRUE(stat.is_directory);
  const std::string path = dir_.Write("file", "");
  EXPECT_THAT(
      MakeDirectories(*vfs_, path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("'", path, "': expected a directory, got a file")));
}

}  // namespace
}  // namespace accel::runtime
