// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays one after the other are one table of rows.
#include "runtime/data/array_rows.h"

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
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

class ArrayRowsTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<ArrayRows>> Open(
      const std::vector<std::string>& paths) {
    return ArrayRows::Open(*vfs_, paths);
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::string a_ =
      dir_.Write("a.npy", Npy<int32_t>("<i4", {2, 2}, {1, 2, 3, 4}));
  std::string none_ = dir_.Write("b.npy", Npy<int32_t>("<i4", {0, 2}, {}));
  std::string c_ = dir_.Write("c.npy", Npy<int32_t>("<i4", {1, 2}, {5, 6}));
};

TEST_F(ArrayRowsTest, RowsOfAllFilesAreCountedThrough) {
  ASSERT_OK_AND_ASSIGN(const auto rows, Open({a_, none_, c_}));
  EXPECT_EQ(rows->shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(rows->data_size(), 24);
  EXPECT_EQ(rows->Name(), absl::StrCat("'", a_, "' to '", c_, "' (3 files)"));
  EXPECT_EQ(rows->Find(1).file.path(), a_);
  EXPECT_EQ(rows->Find(1).row, 1);
  EXPECT_EQ(rows->Find(2).file.path(), c_);
  EXPECT_EQ(rows->Find(2).row, 0);
}

TEST_F(ArrayRowsTest, TheDigestIsThatOfOneArray) {
  const std::string whole =
      dir_.Write("w.npy", Npy<int32_t>("<i4", {3, 2}, {1, 2, 3, 4, 5, 6}));
  ASSERT_OK_AND_ASSIGN(const auto parts, Open({a_, c_}));
  ASSERT_OK_AND_ASSIGN(const auto one, Open({whole}));
  EXPECT_EQ(*parts->Digest(), *one->Digest());
}

TEST_F(ArrayRowsTest, ArraysThatDifferAreNamed) {
  const std::string wide =
      dir_.Write("d.npy", Npy<int32_t>("<i4", {1, 3}, {5, 6, 7}));
  EXPECT_THAT(
      Open({a_, wide}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("'", a_, "' and '", wide,
                            "': expected arrays of one type and one shape but "
                            "for the first axis, got [2, 2] of i32 and [1, 3] "
                            "of i32; save the arrays of a field alike")));
  const std::string floats =
      dir_.Write("e.npy", Npy<float>("<f4", {1, 2}, {5, 6}));
  EXPECT_THAT(
      Open({a_, floats}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("'", a_, "' and '", floats,
                            "': expected arrays of one type and one shape but "
                            "for the first axis, got [2, 2] of i32 and [1, 2] "
                            "of f32; save the arrays of a field alike")));
}

TEST_F(ArrayRowsTest, RowsWithoutElementsCannotOverflowTheirCount) {
  const int64_t most = INT64_MAX;
  const std::string empty =
      dir_.Write("f.npy", Npy<uint8_t>("|u1", {most, 0}, {}));
  const std::string more = dir_.Write("g.npy", Npy<uint8_t>("|u1", {1, 0}, {}));
  EXPECT_THAT(Open({empty, more}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("'", more, "': expected at most ", most,
                                    " rows in all files of a field, got more; "
                                    "save fewer rows")));
}

}  // namespace
}  // namespace accel::runtime
