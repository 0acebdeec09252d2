// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields know the size of one sample and how to name themselves.
#include "runtime/data/signature.h"

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(SignatureTest, ASampleLacksTheFirstAxis) {
  const SignatureField field = {"x", {4, 3, 5}, DType::kF32};
  EXPECT_EQ(field.sample_elements(), 15);
  EXPECT_EQ(field.sample_bytes(), 60);
  const SignatureField label = {"y", {4}, DType::kI64};
  EXPECT_EQ(label.sample_elements(), 1);
  EXPECT_EQ(label.sample_bytes(), 8);
}

TEST(SignatureTest, ARangeIsThereOnlyIfMinIsNotAboveMax) {
  SignatureField field;
  EXPECT_FALSE(field.has_range());
  field.max_value = 0;
  EXPECT_TRUE(field.has_range());
}

TEST(SignatureTest, RangesAreThoseOfAnAxis) {
  SignatureField field = {"x", {4, 2, 3}, DType::kI64, 1, 9};
  EXPECT_EQ(field.RangeAt(5).min, 1);
  EXPECT_EQ(field.RangeAt(5).max, 9);
  field.ranges = {{0, 4}, IntegerRange{}};
  field.ranges_axis = 1;
  EXPECT_EQ(field.RangeAt(2).max, 4);
  EXPECT_EQ(field.RangeAt(3).max, INT64_MAX);
  field.ranges = {{0, 4}, {0, 5}, {0, 6}};
  field.ranges_axis = 2;
  EXPECT_EQ(field.RangeAt(4).max, 5);
}

TEST(SignatureTest, LabelsAndTextNameRoleShapeAndType) {
  SignatureField field = {"ids", {4, 64}, DType::kI64};
  EXPECT_EQ(field.Label(), "input 'ids'");
  EXPECT_EQ(FormatField(field), "[4, 64] of i64");
  field.role = SignatureField::Role::kTarget;
  EXPECT_EQ(field.Label(), "target 'ids'");
}

}  // namespace
}  // namespace accel::runtime
