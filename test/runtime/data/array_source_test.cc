// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows reach their field converted and checked, or an error says where and what
// to do.
#include "runtime/data/array_source.h"

#include <cstring>
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

constexpr auto kInput = SignatureField::Role::kInput;
constexpr auto kTarget = SignatureField::Role::kTarget;

class ArraySourceTest : public ::testing::Test {
 protected:
  std::shared_ptr<const ArrayRows> Open(const std::string& content) {
    auto rows =
        ArrayRows::Open(*vfs_, std::vector{dir_.Write("a.npy", content)});
    EXPECT_OK(rows);
    return *std::move(rows);
  }

  template <typename T>
  std::vector<T> Fill(const ArraySource& source, const SignatureField& field,
                      int64_t row) {
    std::vector<T> values(field.sample_elements());
    EXPECT_OK(source.Fill(
        row, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(T))));
    return values;
  }

  TempDir dir_;
  std::string path_ = dir_.File("a.npy");
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(ArraySourceTest, FloatsAreCopied) {
  const SignatureField field = {"x", {4, 2}, DType::kF32};
  const auto file = Open(Npy<float>("<f4", {2, 2}, {1, 2, 3, 4}));
  ASSERT_OK(ArraySource::Check(*file, field));
  const ArraySource source(file, field, ArraySource::View::kRows);
  EXPECT_EQ(Fill<float>(source, field, 1), (std::vector<float>{3, 4}));
}

TEST_F(ArraySourceTest, IntegersAreConvertedBothWays) {
  const SignatureField wide = {"x", {4, 2}, DType::kI64, 0, 255};
  const auto bytes = Open(Npy<uint8_t>("|u1", {2, 2}, {1, 2, 3, 255}));
  ASSERT_OK(ArraySource::Check(*bytes, wide));
  EXPECT_EQ(Fill<int64_t>(ArraySource(bytes, wide, ArraySource::View::kRows),
                          wide, 1),
            (std::vector<int64_t>{3, 255}));
  const SignatureField narrow = {"x", {4, 2}, DType::kI32};
  const auto longs = Open(Npy<int64_t>("<i8", {1, 2}, {-7, 7}));
  ASSERT_OK(ArraySource::Check(*longs, narrow));
  EXPECT_EQ(Fill<int32_t>(ArraySource(longs, narrow, ArraySource::View::kRows),
                          narrow, 0),
            (std::vector<int32_t>{-7, 7}));
}

TEST_F(ArraySourceTest, ColumnsHaveRangesOfTheirOwn) {
  SignatureField field = {"x", {4, 3}, DType::kI64, 0, 8, kInput};
  field.ranges = {{0, 4}, {0, 8}, IntegerRange{}};
  field.ranges_axis = 1;
  const auto rows = Open(Npy<int64_t>("<i8", {2, 3}, {4, 8, -90, 5, 8, 1}));
  const ArraySource source(rows, field, ArraySource::View::kRows);
  EXPECT_EQ(Fill<int64_t>(source, field, 0), (std::vector<int64_t>{4, 8, -90}));
  std::vector<std::byte> row(24);
  EXPECT_THAT(
      source.Fill(1, absl::MakeSpan(row)),
      StatusIs(absl::StatusCode::kOutOfRange,
               "input 'x': expected values from 0 to 4, got 5 in '" + path_ +
                   "' at row 1, element 0 (byte offset 152); give values that "
                   "the model was built for, such as its own tokenizer's"));
}

TEST_F(ArraySourceTest, LongRowsAreConvertedPieceByPiece) {
  const int64_t length = 10'000;
  std::vector<int64_t> values(2 * length);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>(i);
  }
  const SignatureField field = {"x", {1, length}, DType::kI32};
  const auto file = Open(Npy<int64_t>("<i8", {2, length}, values));
  const ArraySource rows(file, field, ArraySource::View::kRows);
  EXPECT_EQ(Fill<int32_t>(rows, field, 1),
            std::vector<int32_t>(values.begin() + length, values.end()));
  const ArraySource next(file, field, ArraySource::View::kNextToken);
  std::vector<int32_t> expected(values.begin() + length + 1, values.end());
  expected.push_back(-100);
  EXPECT_EQ(Fill<int32_t>(next, field, 1), expected);
}

TEST_F(ArraySourceTest, ValuesOutOfRangeNameFileRowElementAndOffset) {
  const SignatureField field = {"ids", {4, 2}, DType::kI64, 0, 9, kInput};
  const auto file = Open(Npy<int64_t>("<i8", {2, 2}, {1, 2, 3, 10}));
  const ArraySource source(file, field, ArraySource::View::kRows);
  EXPECT_THAT(source.CheckValues(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("input 'ids': expected values from 0 to "
                                    "9, got 10 in '",
                                    path_,
                                    "' at row 1, element 1 (byte offset "
                                    "152); give values that the model was "
                                    "built for, such as its own tokenizer's")));
}

TEST_F(ArraySourceTest, NarrowingNeverWraps) {
  const SignatureField field = {"x", {4, 1}, DType::kI32};
  const auto file = Open(Npy<int64_t>("<i8", {1, 1}, {int64_t{1} << 31}));
  EXPECT_THAT(ArraySource(file, field, ArraySource::View::kRows).CheckValues(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("input 'x': expected values from "
                                    "-2147483648 to 2147483647, got "
                                    "2147483648 in '",
                                    path_,
                                    "' at row 0, element 0 (byte offset "
                                    "128); give values that the model was "
                                    "built for, such as its own tokenizer's")));
}

TEST_F(ArraySourceTest, OnlyTargetsMayBeIgnored) {
  SignatureField field = {"y", {4}, DType::kI64, 0, 9, kTarget};
  const auto file = Open(Npy<int64_t>("<i8", {2}, {-100, -1}));
  const ArraySource target(file, field, ArraySource::View::kRows);
  EXPECT_EQ(Fill<int64_t>(target, field, 0), (std::vector<int64_t>{-100}));
  EXPECT_THAT(
      target.CheckValues(),
      StatusIs(
          absl::StatusCode::kOutOfRange,
          absl::StrCat("target 'y': expected values from 0 to 9 "
                       "(or -100, ignored), got -1 in '",
                       path_,
                       "' at row 1, element 0 (byte offset "
                       "136); give labels that the model has outputs for")));
  field.role = kInput;
  const ArraySource input(file, field, ArraySource::View::kRows);
  EXPECT_FALSE(input.CheckValues().ok());
}

TEST_F(ArraySourceTest, OtherShapesAndTypesSayExpectedGotAndRemedy) {
  const SignatureField ids = {"ids", {4, 64}, DType::kI64};
  EXPECT_THAT(
      ArraySource::Check(*Open(Npy<int64_t>("<i8", {1, 2}, {1, 2})), ids),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("input 'ids': expected [*, 64] of i64, got [1, 2] "
                            "of i64 in '",
                            path_,
                            "'; save rows of this shape, or compile the model "
                            "for the rows you have (accelc --dim)")));
  const SignatureField x = {"x", {4, 2}, DType::kF32};
  EXPECT_THAT(
      ArraySource::Check(*Open(Npy<double>("<f8", {1, 2}, {1, 2})), x),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("input 'x': expected [*, 2] of f32, got "
                            "[1, 2] of f64 in '",
                            path_, "'; write ARRAY.astype('float32')")));
  const SignatureField y = {"y", {4}, DType::kU16};
  EXPECT_THAT(ArraySource::Check(*Open(Npy<uint64_t>("<u8", {1}, {1})), y),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("input 'y': expected [*] of u16, got [1] "
                                    "of u64 in '",
                                    path_, "'; write ARRAY.astype('uint16')")));
}

}  // namespace
}  // namespace accel::runtime
