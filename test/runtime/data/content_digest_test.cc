// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data are what they contain, in whatever files it lies.
#include "runtime/data/content_digest.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

class ContentDigestTest : public ::testing::Test {
 protected:
  const PinnedFile* Open(const std::string& path) {
    auto file = PinnedFile::Open(*vfs_, path);
    EXPECT_OK(file);
    files_.push_back(*std::move(file));
    return files_.back().get();
  }

  static std::string Digest(const std::vector<FileContent>& parts) {
    auto digest = ContentDigest(parts);
    EXPECT_OK(digest);
    return ToHex(*digest);
  }

  // Of a file of zeros with one byte in it.
  const PinnedFile* Huge(const std::string& name, uint64_t size, uint64_t at,
                         char value) {
    const std::string path = dir_.Write(name, "");
    std::filesystem::resize_file(path, at);
    auto file = vfs_->Open(path, OpenMode::kAppend);
    EXPECT_OK(file);
    const std::byte byte{static_cast<unsigned char>(value)};
    EXPECT_OK((*file)->AppendAll({&byte, 1}));
    std::filesystem::resize_file(path, size);
    return Open(path);
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::vector<std::unique_ptr<PinnedFile>> files_;
};

TEST_F(ContentDigestTest, DependsOnContentAndNotOnNameOrHeader) {
  const PinnedFile* file = Open(dir_.Write("data.bin", "0123456789"));
  const PinnedFile* copy = Open(dir_.Write("copy", "ab23456789"));
  EXPECT_EQ(Digest({{file, 2}}), Digest({{copy, 2}}));
  EXPECT_NE(Digest({{file, 2}}), Digest({{copy, 1}}));
}

TEST_F(ContentDigestTest, HowContentIsCutIntoFilesPlaysNoPartButItsOrderDoes) {
  const PinnedFile* whole = Open(dir_.Write("whole", "0123456789"));
  const PinnedFile* head = Open(dir_.Write("head", "..0123"));
  const PinnedFile* tail = Open(dir_.Write("tail", "456789"));
  EXPECT_EQ(Digest({{whole, 0}}), Digest({{head, 2}, {tail, 0}}));
  EXPECT_NE(Digest({{whole, 0}}), Digest({{tail, 0}, {head, 2}}));
}

TEST_F(ContentDigestTest, AHugeFileIsDigestedBySpotsIncludingBothEnds) {
  const uint64_t size = kWholeCheckLimit + 5000;
  const std::string zeros = Digest({{Huge("huge", size, 0, 0), 0}});
  EXPECT_NE(Digest({{Huge("huge", size, 0, 'x'), 0}}), zeros);
  EXPECT_NE(Digest({{Huge("huge", size, size - 1, 'x'), 0}}), zeros);
}

TEST_F(ContentDigestTest, EveryFileOfHugeDataCounts) {
  std::vector<FileContent> parts = {
      {Huge("huge", kWholeCheckLimit + 5000, 0, 0), 0}};
  for (int i = 0; i < 600; ++i) {
    parts.push_back(
        {Open(dir_.Write(absl::StrCat(i), std::string(20'000, 'a'))), 0});
  }
  const std::string before = Digest(parts);
  std::string changed(20'000, 'a');
  changed.back() = 'b';
  parts[300] = {Open(dir_.Write("changed", changed)), 0};
  EXPECT_NE(Digest(parts), before);
  std::swap(parts[300], parts[301]);
  const std::string swapped = Digest(parts);
  std::swap(parts[300], parts[301]);
  EXPECT_NE(Digest(parts), swapped);
}

TEST_F(ContentDigestTest, AFileThatChangesMeanwhileHasNone) {
  const std::string path = dir_.Write("data.bin", "0123456789");
  const PinnedFile* file = Open(path);
  dir_.Write("data.bin", "0123456789ab");
  EXPECT_THAT(ContentDigest({{file, 0}}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("'", path,
                                    "' changed during the run: it had 10 bytes "
                                    "and has 12; start again with files that "
                                    "stay as they are")));
}

}  // namespace
}  // namespace accel::runtime
