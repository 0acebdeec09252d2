// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays are tables of rows.
#include "runtime/data/array_file.h"

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

TEST(ArrayFileTest, ReadsRowsAndPartsOfThem) {
  TempDir dir;
  const auto vfs = MakePosixVfs();
  const std::string path =
      dir.Write("a.npy", Npy<int32_t>("<i4", {2, 3}, {1, 2, 3, 4, 5, 6}));
  ASSERT_OK_AND_ASSIGN(auto file, ArrayFile::Open(*vfs, path));
  EXPECT_EQ(file->rows(), 2);
  EXPECT_EQ(file->row_elements(), 3);
  EXPECT_EQ(file->row_bytes(), 12);
  std::vector<int32_t> values(2);
  ASSERT_OK(file->ReadRow(
      1, 1, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()), 8)));
  EXPECT_EQ(values, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(file->OffsetOf(1, 1), 128 + 16);
}

TEST(ArrayFileTest, AScalarHasNoRows) {
  TempDir dir;
  const auto vfs = MakePosixVfs();
  const std::string path = dir.Write("a.npy", Npy<float>("<f4", {}, {1}));
  EXPECT_THAT(ArrayFile::Open(*vfs, path),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("'", path,
                                    "': expected an array whose first axis "
                                    "counts samples, got a single value")));
}

}  // namespace
}  // namespace accel::runtime
