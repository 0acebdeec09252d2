// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files are taken only if their size is exactly what their header says.
#include "runtime/io/npy.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Npy;
using ::accel::testing::NpyFrame;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;

class NpyTest : public ::testing::Test {
 protected:
  absl::StatusOr<NpyLayout> Read(const std::string& content) {
    auto file = vfs_->Open(dir_.Write("a.npy", content), OpenMode::kRead);
    return file.ok() ? ReadNpyLayout(**file) : file.status();
  }

  void ExpectRefused(const std::string& content, const std::string& message) {
    EXPECT_THAT(Read(content), StatusIs(absl::StatusCode::kInvalidArgument,
                                        absl::StrCat("'", dir_.File("a.npy"),
                                                     "': ", message)));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(NpyTest, ReadsEveryFormatVersion) {
  const std::string dictionary =
      "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  for (const int version : {1, 2, 3}) {
    ASSERT_OK_AND_ASSIGN(
        const NpyLayout layout,
        Read(NpyFrame(version, dictionary, std::string(24, 'x'))));
    EXPECT_EQ(layout.header.dtype, DType::kI32);
    EXPECT_THAT(layout.header.shape, ElementsAre(2, 3));
    EXPECT_EQ(layout.data_offset % 64, 0);
    EXPECT_EQ(layout.data_size, 24);
  }
}

TEST_F(NpyTest, RefusesOtherFilesSayingWhatTheyAre) {
  ExpectRefused("PK\x03\x04 and the rest of an archive",
                "expected a .npy file, got a zip archive (.npz); write it "
                "with numpy.save(FILE, ARRAY)");
  ExpectRefused("a text file",
                "expected a .npy file, got other content (11 bytes); write it "
                "with numpy.save(FILE, ARRAY)");
  ExpectRefused("",
                "expected a .npy file, got other content (0 bytes); write it "
                "with numpy.save(FILE, ARRAY)");
  ExpectRefused(NpyFrame(9, "{}", ""),
                "expected .npy format version 1, 2 or 3, got 9");
}

TEST_F(NpyTest, RefusesHeadersLongerThanTheFileOrTheLimit) {
  std::string file = Npy<float>("<f4", {1}, {1});
  file[8] = '\x00';
  file[9] = '\x10';
  ExpectRefused(file,
                "the .npy header says 4096 bytes, the file has 122 after it "
                "and at most 65536 are allowed");
  std::string huge = NpyFrame(2, "{}", "");
  huge.replace(8, 4, "\xff\xff\xff\xff");
  ExpectRefused(huge,
                "the .npy header says 4294967295 bytes, the file has 52 after "
                "it and at most 65536 are allowed");
}

TEST_F(NpyTest, RefusesDataOfAnotherSize) {
  ExpectRefused(Npy<float>("<f4", {2, 2}, {1, 2, 3}),
                "[2, 2] of f32 takes 16 bytes, the file has 12 after its "
                "header");
  ExpectRefused(Npy<float>("<f4", {2}, {1, 2, 3}),
                "[2] of f32 takes 8 bytes, the file has 12 after its header");
  ExpectRefused(Npy<float>("<f4", {int64_t{1} << 62, 4}, {1}),
                "[4611686018427387904, 4] of f32 takes more bytes than can be "
                "counted, the file has 4 after its header");
}

TEST_F(NpyTest, EveryTruncationIsRefused) {
  const std::string whole = Npy<int16_t>("<i2", {3}, {1, 2, 3});
  ASSERT_OK(Read(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Read(whole.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace accel::runtime
