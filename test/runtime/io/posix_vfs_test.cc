// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The POSIX Vfs does what its interface says and names what it could not do.
#include "runtime/io/posix_vfs.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

absl::Span<const std::byte> AsBytes(absl::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

class PosixVfsTest : public ::testing::Test {
 protected:
  std::string ReadText(File& file, uint64_t offset, size_t size) {
    std::string text(size, '\0');
    EXPECT_OK(file.ReadAt(
        offset, absl::MakeSpan(reinterpret_cast<std::byte*>(text.data()),
                               text.size())));
    return text;
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(PosixVfsTest, WritesAndReadsAtOffsets) {
  const std::string path = dir_.File("a");
  ASSERT_OK_AND_ASSIGN(auto file, vfs_->Open(path, OpenMode::kTruncate));
  ASSERT_OK(file->WriteAt(4, AsBytes("tail")));
  ASSERT_OK(file->WriteAt(0, AsBytes("head")));
  ASSERT_OK(file->Sync());
  EXPECT_EQ(ReadText(*file, 2, 4), "adta");
  ASSERT_OK(file->Truncate(6));
  ASSERT_OK(file->Close());
  EXPECT_EQ(dir_.Read("a"), "headta");
}

// No file has such an offset; a bad sector reports in the same way.
TEST_F(PosixVfsTest, AFailedReadOrWriteNamesFileAndOffset) {
  const std::string path = dir_.Write("a", "content");
  ASSERT_OK_AND_ASSIGN(auto file, vfs_->Open(path, OpenMode::kTruncate));
  std::vector<std::byte> bytes(4);
  constexpr uint64_t kBeyond = uint64_t{1} << 63;
  EXPECT_THAT(file->ReadAt(kBeyond, absl::MakeSpan(bytes)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("cannot read '", path,
                                    "' at byte 9223372036854775808: Invalid "
                                    "argument")));
  EXPECT_THAT(file->WriteAt(kBeyond, bytes),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("cannot write '", path,
                                    "' at byte 9223372036854775808: Invalid "
                                    "argument")));
}

TEST_F(PosixVfsTest, ReadingBeyondTheEndNamesFileOffsetExpectedAndGot) {
  const std::string path = dir_.Write("a", "12345");
  ASSERT_OK_AND_ASSIGN(auto file, vfs_->Open(path, OpenMode::kRead));
  std::vector<std::byte> bytes(10);
  EXPECT_THAT(file->ReadAt(2, absl::MakeSpan(bytes)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("'", path,
                                    "': expected 10 bytes at byte offset 2, "
                                    "got 3 before the end of the file")));
}

TEST_F(PosixVfsTest, OpenModesCreateEmptyAppendOrRefuse) {
  const std::string path = dir_.Write("a", "old");
  EXPECT_THAT(vfs_->Open(path, OpenMode::kCreateNew),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       absl::StrCat("cannot open '", path, "': File exists")));
  ASSERT_OK_AND_ASSIGN(auto append, vfs_->Open(path, OpenMode::kAppend));
  ASSERT_OK(append->AppendAll(AsBytes("+new")));
  EXPECT_EQ(dir_.Read("a"), "old+new");
  EXPECT_THAT(append->PWrite(0, AsBytes("x")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("'", path,
                                    "' is open for appending; cannot write at "
                                    "an offset")));
  ASSERT_OK(vfs_->Open(path, OpenMode::kTruncate));
  EXPECT_EQ(dir_.Read("a"), "");
}

TEST_F(PosixVfsTest, AMissingFileIsNotFound) {
  EXPECT_THAT(vfs_->Open("/nonexistent/a", OpenMode::kRead),
              StatusIs(absl::StatusCode::kNotFound,
                       "cannot open '/nonexistent/a': No such file or "
                       "directory"));
  EXPECT_THAT(vfs_->Stat(dir_.File("none")),
              StatusIs(absl::StatusCode::kNotFound,
                       absl::StrCat("cannot stat '", dir_.File("none"),
                                    "': No such file or directory")));
}

TEST_F(PosixVfsTest, OnlyRegularFilesAreOpenedAndAPipeDoesNotHang) {
  EXPECT_THAT(vfs_->Open(dir_.path(), OpenMode::kRead),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("'", dir_.path(),
                                    "': expected a regular file, got a "
                                    "directory")));
  const std::string pipe = dir_.File("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kTruncate}) {
    EXPECT_THAT(vfs_->Open(pipe, mode),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("'", pipe,
                                      "': expected a regular file, got a "
                                      "device, pipe or socket")));
  }
}

TEST_F(PosixVfsTest, StreamsAreWhatIsNoFile) {
  const std::string path = dir_.Write("a", "old");
  EXPECT_THAT(vfs_->OpenStream(path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("'", path,
                                    "': expected a device or pipe, got a "
                                    "regular file")));
  EXPECT_EQ(dir_.Read("a"), "old");
  ASSERT_OK_AND_ASSIGN(const auto null, vfs_->OpenStream("/dev/null"));
  EXPECT_OK(null->AppendAll(AsBytes("x")));
  EXPECT_THAT(vfs_->OpenStream(dir_.File("none")),
              StatusIs(absl::StatusCode::kNotFound,
                       absl::StrCat("cannot open '", dir_.File("none"),
                                    "': No such file or directory")));
}

TEST_F(PosixVfsTest, LinksSayWhereTheyLead) {
  ASSERT_EQ(::symlink("somewhere/else", dir_.File("link").c_str()), 0);
  EXPECT_THAT(vfs_->ReadLink(dir_.File("link")),
              IsOkAndHolds("somewhere/else"));
  EXPECT_THAT(vfs_->ReadLink(dir_.path()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("cannot read link '", dir_.path(),
                                    "': Invalid argument")));
}

TEST_F(PosixVfsTest, ListsSortsRenamesAndRemoves) {
  dir_.Write("b", "2");
  dir_.Write("a", "1");
  ASSERT_OK(vfs_->MakeDirectory(dir_.File("c")));
  EXPECT_THAT(vfs_->MakeDirectory(dir_.File("c")),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("'")));
  EXPECT_THAT(vfs_->List(dir_.path()),
              IsOkAndHolds(ElementsAre("a", "b", "c")));
  ASSERT_OK(vfs_->Rename(dir_.File("a"), dir_.File("b")));
  ASSERT_OK(vfs_->SyncDirectory(dir_.path()));
  EXPECT_EQ(dir_.Read("b"), "1");
  ASSERT_OK(vfs_->Remove(dir_.File("b")));
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre("c")));
  EXPECT_THAT(
      vfs_->Rename(dir_.File("x"), dir_.File("y")),
      StatusIs(absl::StatusCode::kNotFound,
               absl::StrCat("cannot rename '", dir_.File("x"), "' to '",
                            dir_.File("y"), "': No such file or directory")));
}

TEST_F(PosixVfsTest, StatTellsKindSizeAndIdentity) {
  const std::string path = dir_.Write("a", "12345");
  ASSERT_OK_AND_ASSIGN(const FileStat stat, vfs_->Stat(path));
  EXPECT_EQ(stat.size, 5);
  EXPECT_TRUE(stat.is_regular);
  EXPECT_FALSE(stat.is_directory);
  ASSERT_OK_AND_ASSIGN(auto file, vfs_->Open(path, OpenMode::kRead));
  EXPECT_THAT(file->Stat(), IsOkAndHolds(stat));
  ASSERT_OK_AND_ASSIGN(const FileStat folder, vfs_->Stat(dir_.path()));
  EXPECT_TRUE(folder.is_directory);
}

TEST_F(PosixVfsTest, ASecondLockIsRefusedAndNamesTheHolder) {
  const std::string path = dir_.File("lock");
  ASSERT_OK_AND_ASSIGN(auto lock, vfs_->TryLock(path));
  EXPECT_THAT(
      vfs_->TryLock(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               MatchesRegex(absl::StrCat("'", path, "' is locked by process ",
                                         ::getpid(), " on host '[^']+'"))));
  lock.reset();
  EXPECT_OK(vfs_->TryLock(path));
}

TEST_F(PosixVfsTest, WhatTheHolderWroteIsShownHarmlessly) {
  const std::string path = dir_.File("lock");
  ASSERT_OK_AND_ASSIGN(auto lock, vfs_->TryLock(path));
  dir_.Write("lock", "\x1b[31mevil\n");
  EXPECT_THAT(
      vfs_->TryLock(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("'", path, "' is locked by \\x1b[31mevil")));
  dir_.Write("lock", "");
  EXPECT_THAT(
      vfs_->TryLock(path),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("'", path, "' is locked by another process")));
}

TEST_F(PosixVfsTest, AClosedFileFailsInsteadOfTouchingAnother) {
  ASSERT_OK_AND_ASSIGN(auto file,
                       vfs_->Open(dir_.File("a"), OpenMode::kTruncate));
  ASSERT_OK(file->Close());
  EXPECT_THAT(file->AppendAll(AsBytes("x")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("cannot write '", dir_.File("a"),
                                    "': Bad file descriptor")));
}

TEST_F(PosixVfsTest, OpensMoreFilesThanTheSoftLimitAllows) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_GT(before.rlim_max, 200u);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const std::string path = dir_.Write("a", "12345");
  std::vector<std::unique_ptr<File>> files;
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(auto file, vfs_->Open(path, OpenMode::kRead));
    files.push_back(std::move(file));
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace accel::runtime
