// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file is the old one or the new one, whichever operation fails.
#include "runtime/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

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

// $TMPDIR for the time of a test.
class ScopedTmpdir {
 public:
  explicit ScopedTmpdir(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) {
      before_ = before;
    }
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~ScopedTmpdir() {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
  }
  ScopedTmpdir(const ScopedTmpdir&) = delete;
  ScopedTmpdir& operator=(const ScopedTmpdir&) = delete;

 private:
  std::optional<std::string> before_;
};

// A user who may do little, for the time of a test. Requires: root.
class AsNobody {
 public:
  AsNobody() {
    EXPECT_EQ(::setegid(65534), 0);
    EXPECT_EQ(::seteuid(65534), 0);
  }
  ~AsNobody() {
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(::setegid(0), 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
};

class AtomicFileTest : public ::testing::Test {
 protected:
  static absl::Span<const std::byte> Bytes(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
  }
  unsigned ModeOf(const std::string& name) const {
    struct stat status;
    EXPECT_EQ(::stat(dir_.File(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  std::string MakeFifo() const {
    EXPECT_EQ(::mkfifo(dir_.File("fifo").c_str(), 0600), 0);
    return dir_.File("fifo");
  }

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
  for (int fail_at = 0; fail_at < 7; ++fail_at) {
    dir_.Write("a", "old");
    Faults faults;
    faults.fail_at = fail_at;
    FaultyVfs faulty(*vfs_, faults);
    EXPECT_FALSE(WriteFileAtomically(faulty, dir_.File("a"), "new").ok());
    // Only the folder's sync comes after the rename.
    EXPECT_EQ(dir_.Read("a"), fail_at < 6 ? "old" : "new") << fail_at;
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

TEST_F(AtomicFileTest, EachNameIsAnnouncedBeforeItsFileIsThere) {
  std::vector<std::string> names;
  ASSERT_OK_AND_ASSIGN(
      const auto first,
      AtomicFile::Create(*vfs_, dir_.File("a"), [&](const std::string& name) {
        EXPECT_FALSE(std::filesystem::exists(name));
        names.push_back(name);
      }));
  EXPECT_THAT(names, ElementsAre(first->temporary_path()));
  // The first name is taken by now.
  ASSERT_OK_AND_ASSIGN(
      const auto second,
      AtomicFile::Create(*vfs_, dir_.File("a"), [&](const std::string& name) {
        names.push_back(name);
      }));
  EXPECT_THAT(names,
              ElementsAre(first->temporary_path(), first->temporary_path(),
                          second->temporary_path()));
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
  EXPECT_THAT(
      WriteFileAtomically(*vfs_, dir_.File("no/a"), "x"),
      StatusIs(absl::StatusCode::kNotFound,
               absl::StrCat("cannot write '", dir_.File("no/a"),
                            "': expected a file in a folder that "
                            "exists, got no folder '",
                            dir_.File("no"), "'; make it first: mkdir -p ",
                            dir_.File("no"))));
}

TEST_F(AtomicFileTest, ANewFileGetsTheUmasksModeAndAnOldOneKeepsItsOwn) {
  const mode_t before = ::umask(027);
  ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("new"), "x"));
  for (const mode_t mode : {0600u, 0666u, 0440u}) {
    ASSERT_EQ(::chmod(dir_.Write("old", "old").c_str(), mode), 0);
    ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("old"), "x"));
    EXPECT_EQ(dir_.Read("old"), "x");
    EXPECT_EQ(ModeOf("old"), mode);
    std::filesystem::remove(dir_.File("old"));
  }
  ::umask(before);
  EXPECT_EQ(ModeOf("new"), 0640u);
}

// Before they are complete, the bytes are as private as the file that was
// there.
TEST_F(AtomicFileTest, AtNoTimeAnybodyElseCanReadThem) {
  ASSERT_EQ(::chmod(dir_.Write("a", "old").c_str(), 0600), 0);
  ASSERT_OK_AND_ASSIGN(auto file, AtomicFile::Create(*vfs_, dir_.File("a")));
  EXPECT_EQ(
      ModeOf(std::filesystem::path(file->temporary_path()).filename().string()),
      0600u);
  file.reset();
  Faults faults;
  faults.fail_at = 1;
  FaultyVfs faulty(*vfs_, faults);
  EXPECT_THAT(AtomicFile::Create(faulty, dir_.File("a")),
              StatusIs(absl::StatusCode::kUnavailable,
                       absl::StrCat("cannot write '", dir_.File("a"),
                                    "': injected: take permissions")));
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre("a")));
}

TEST_F(AtomicFileTest, OwnerAndGroupStay) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may give files away";
  }
  const std::string path = dir_.Write("a", "old");
  ASSERT_EQ(::chown(path.c_str(), 65534, 65533), 0);
  ASSERT_OK(WriteFileAtomically(*vfs_, path, "new"));
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_gid, 65533u);
}

// Where the file cannot go to its group, the group that it has instead gets no
// more than everybody.
TEST_F(AtomicFileTest, NobodyGetsRightsThatOnlyAnotherGroupHad) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may give files away";
  }
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  for (const auto& [mode, expected] :
       {std::pair(0640u, 0600u), std::pair(0664u, 0644u),
        std::pair(0660u, 0600u)}) {
    const std::string path = dir_.Write("a", "old");
    ASSERT_EQ(::chown(path.c_str(), 0, 65533), 0);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    {
      const AsNobody nobody;
      ASSERT_OK(WriteFileAtomically(*vfs_, path, "new"));
    }
    EXPECT_EQ(ModeOf("a"), expected);
    std::filesystem::remove(path);
  }
}

TEST_F(AtomicFileTest, AFolderThatMayNotBeWrittenToIsRefusedAtOnce) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become nobody";
  }
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  const AsNobody nobody;
  EXPECT_THAT(AtomicFile::Create(*vfs_, dir_.File("a")),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       absl::StrCat("cannot write '", dir_.File("a"),
                                    "': cannot write to '", dir_.path(),
                                    "': Permission denied; choose another "
                                    "place, or change its rights")));
}

TEST_F(AtomicFileTest, ALinkStaysAndItsTargetIsReplaced) {
  std::filesystem::create_directory(dir_.File("there"));
  dir_.Write("there/a", "old");
  std::filesystem::create_symlink("there/a", dir_.File("second"));
  std::filesystem::create_symlink(dir_.File("second"), dir_.File("first"));
  ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("first"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir_.File("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(dir_.File("second")));
  EXPECT_FALSE(std::filesystem::is_symlink(dir_.File("there/a")));
  EXPECT_EQ(dir_.Read("there/a"), "new");
  // One that points to nothing says where the file is to be made.
  std::filesystem::create_symlink("there/b", dir_.File("dangling"));
  ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("dangling"), "made"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir_.File("dangling")));
  EXPECT_EQ(dir_.Read("there/b"), "made");
}

// What is no file gets the bytes front to back, though they were written with
// an offset, and is still there afterwards.
TEST_F(AtomicFileTest, AFifoGetsTheBytesOfTheFile) {
  const std::string path = MakeFifo();
  std::string got;
  std::thread reader([&] { got = dir_.Read("fifo"); });
  ASSERT_OK_AND_ASSIGN(auto file, AtomicFile::Create(*vfs_, path));
  EXPECT_EQ(file->temporary_path(), "");
  const std::string tail(3'000'000, 't');
  ASSERT_OK(file->file().WriteAt(4, Bytes(tail)));
  ASSERT_OK(file->file().WriteAt(0, Bytes("head")));
  ASSERT_OK(file->Commit());
  file.reset();
  reader.join();
  EXPECT_TRUE(got == "head" + tail) << got.size();
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(ElementsAre("fifo")));
}

TEST_F(AtomicFileTest, WithoutCommitAFifoGetsNothing) {
  const std::string path = MakeFifo();
  std::string got;
  std::thread reader([&] { got = dir_.Read("fifo"); });
  ASSERT_OK_AND_ASSIGN(auto file, AtomicFile::Create(*vfs_, path));
  ASSERT_OK(file->file().AppendAll(Bytes("half")));
  file.reset();
  reader.join();
  EXPECT_EQ(got, "");
}

TEST_F(AtomicFileTest, AnErrorAtAnyOperationOfACopyIsReportedAndLeavesNothing) {
  const std::string path = MakeFifo();
  // It never waits for a reader if there is one already.
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const std::string temporary = dir_.File("temporary");
  std::filesystem::create_directory(temporary);
  ScopedTmpdir tmpdir(temporary);
  Faults whole;
  FaultyVfs good(*vfs_, whole);
  ASSERT_OK(WriteFileAtomically(good, path, "new"));
  EXPECT_THAT(whole.log, ElementsAre("open", "open stream", "write", "read",
                                     "write", "close"));
  for (int fail_at = 0; fail_at < 6; ++fail_at) {
    Faults faults;
    faults.fail_at = fail_at;
    FaultyVfs faulty(*vfs_, faults);
    EXPECT_FALSE(WriteFileAtomically(faulty, path, "new").ok()) << fail_at;
    EXPECT_TRUE(std::filesystem::is_fifo(path));
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
  }
  ::close(reader);
}

// A name of a descriptor writes to that one, where it is, and not to a file of
// the same inode from the start.
TEST_F(AtomicFileTest, AnOpenDescriptorIsWrittenOn) {
  const std::string path = dir_.Write("log", "first ");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND);
  const std::string name = absl::StrCat("/proc/self/fd/", descriptor);
  std::filesystem::create_symlink(name, dir_.File("link"));
  ASSERT_OK(WriteFileAtomically(*vfs_, dir_.File("link"), "second "));
  ASSERT_OK(WriteFileAtomically(*vfs_, absl::StrCat("/dev/fd/", descriptor),
                                "third"));
  ::close(descriptor);
  EXPECT_EQ(dir_.Read("log"), "first second third");
  EXPECT_TRUE(std::filesystem::is_symlink(dir_.File("link")));
  EXPECT_THAT(
      WriteFileAtomically(*vfs_, name, "x"),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("cannot write '", name,
                            "': expected an open descriptor, got ", descriptor,
                            ", which is closed; open it in the shell: ",
                            descriptor, ">FILE")));
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

TEST_F(AtomicFileTest, MakeDirectoriesSyncsTheFolderOfEachNewOne) {
  Faults faults;
  FaultyVfs faulty(*vfs_, faults);
  ASSERT_OK(MakeDirectories(faulty, dir_.File("x/y")));
  EXPECT_THAT(faults.log, ElementsAre("make directory", "sync directory",
                                      "make directory", "sync directory"));
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
