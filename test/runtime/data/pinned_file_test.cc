// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A data file that changes under a run is noticed at the next read and named.
#include "runtime/data/pinned_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

class PinnedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(file_, PinnedFile::Open(*vfs_, path_));
  }

  absl::Status ReadFour(uint64_t offset) {
    std::vector<std::byte> bytes(4);
    return file_->ReadAt(offset, absl::MakeSpan(bytes));
  }

  void ExpectChanged(const std::string& how) {
    EXPECT_THAT(
        ReadFour(0),
        StatusIs(absl::StatusCode::kFailedPrecondition,
                 absl::StrCat("'", path_, "' changed during the run: ", how,
                              ", seen at byte offset 0; start again with files "
                              "that stay as they "
                              "are")));
  }

  void ShiftTime() {
    std::filesystem::last_write_time(
        path_, std::filesystem::last_write_time(path_) + std::chrono::hours(1));
  }

  TempDir dir_;
  std::string path_ = dir_.Write("data.bin", "0123456789");
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::unique_ptr<PinnedFile> file_;
};

TEST_F(PinnedFileTest, ReadsWhileNothingChanges) {
  EXPECT_EQ(file_->size(), 10);
  EXPECT_OK(ReadFour(6));
  EXPECT_OK(file_->CheckUnchanged());
}

TEST_F(PinnedFileTest, ATruncatedFileIsAnErrorAndNoSignal) {
  ASSERT_EQ(::truncate(path_.c_str(), 2), 0);
  ExpectChanged("it had 10 bytes and has 2");
}

TEST_F(PinnedFileTest, AGrownFileIsNoticed) {
  dir_.Write("data.bin", "0123456789++");
  ExpectChanged("it had 10 bytes and has 12");
}

TEST_F(PinnedFileTest, ARewrittenFileOfTheSameSizeIsNoticed) {
  ShiftTime();
  ExpectChanged("it was written to");
}

TEST_F(PinnedFileTest, AFileReplacedByRenameIsNoticed) {
  dir_.Write("other", "9876543210");
  ASSERT_OK(vfs_->Rename(dir_.File("other"), path_));
  ExpectChanged("it was replaced by another file");
}

TEST_F(PinnedFileTest, ARemovedFileIsNoticed) {
  ASSERT_OK(vfs_->Remove(path_));
  ExpectChanged("it was removed");
}

TEST_F(PinnedFileTest, ReadingBeyondTheEndOfAnUnchangedFileSaysSo) {
  EXPECT_THAT(ReadFour(8),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("'", path_,
                                    "': expected 4 bytes at byte offset 8, "
                                    "got 2 before the end of the file")));
}

}  // namespace
}  // namespace accel::runtime
