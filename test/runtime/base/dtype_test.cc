// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every type has a name, a width and a kind; sizes never overflow.
#include "runtime/base/dtype.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(DTypeTest, EveryNameIsUniqueAndLeadsBack) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(DType::kF64); ++i) {
    const DType dtype = static_cast<DType>(i);
    EXPECT_TRUE(names.insert(std::string(DTypeName(dtype))).second);
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
    EXPECT_NE(IsInteger(dtype) || dtype == DType::kBool, IsFloat(dtype));
  }
  EXPECT_EQ(DTypeFromName("float"), std::nullopt);
}

TEST(DTypeTest, WidthsAreThoseOfTheNames) {
  EXPECT_EQ(ByteWidth(DType::kBool), 1);
  EXPECT_EQ(ByteWidth(DType::kU16), 2);
  EXPECT_EQ(ByteWidth(DType::kBF16), 2);
  EXPECT_EQ(ByteWidth(DType::kF8E5M2), 1);
  EXPECT_EQ(ByteWidth(DType::kF8E8M0), 1);
  EXPECT_EQ(ByteWidth(DType::kI64), 8);
}

TEST(DTypeTest, DenseByteSizeRefusesWhatDoesNotFit) {
  EXPECT_EQ(DenseByteSize({}, DType::kF32), 4);
  EXPECT_EQ(DenseByteSize({3, 5}, DType::kI64), 120);
  EXPECT_EQ(DenseByteSize({3, 0}, DType::kI64), 0);
  EXPECT_EQ(DenseByteSize({-1}, DType::kU8), std::nullopt);
  EXPECT_EQ(DenseByteSize({int64_t{1} << 62, 2}, DType::kU8), std::nullopt);
  EXPECT_EQ(DenseByteSize({0, int64_t{1} << 62, 2}, DType::kU8), std::nullopt);
}

}  // namespace
}  // namespace accel::runtime
