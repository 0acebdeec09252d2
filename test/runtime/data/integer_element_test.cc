// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers survive storage in every type that can hold them.
#include "runtime/data/integer_element.h"

#include <array>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(IntegerElementTest, EndsOfEveryTypeComeBack) {
  for (const DType dtype :
       {DType::kBool, DType::kI8, DType::kU8, DType::kI16, DType::kU16,
        DType::kI32, DType::kU32, DType::kI64}) {
    ASSERT_TRUE(IsInt64Compatible(dtype));
    const IntegerRange range = ValuesOf(dtype);
    for (const int64_t value : {range.min, range.max}) {
      std::array<std::byte, 8> bytes = {};
      StoreInteger(dtype, value, bytes.data());
      EXPECT_EQ(LoadInteger(dtype, bytes.data()), value) << DTypeName(dtype);
    }
  }
}

TEST(IntegerElementTest, OtherTypesDoNotPass) {
  EXPECT_FALSE(IsInt64Compatible(DType::kU64));
  EXPECT_FALSE(IsInt64Compatible(DType::kF32));
}

TEST(IntegerElementTest, AnyByteButZeroIsTrue) {
  const std::byte odd{0x7f};
  EXPECT_EQ(LoadInteger(DType::kBool, &odd), 1);
}

}  // namespace
}  // namespace accel::runtime
