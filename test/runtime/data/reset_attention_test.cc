// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be done is said, with the inputs that there are.
#include "runtime/data/reset_attention.h"

#include <vector>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

SignatureField Field(const char* name, std::vector<int64_t> shape) {
  SignatureField field;
  field.name = name;
  field.shape = std::move(shape);
  field.dtype = DType::kI64;
  return field;
}

TEST(ResetAttentionTest, OnlyANumberForEachPairKeepsDocumentsApart) {
  EXPECT_TRUE(IsPairMask(Field("mask", {2, 8, 8})));
  EXPECT_TRUE(IsPairMask(Field("mask", {2, 1, 8, 8})));
  EXPECT_FALSE(IsPairMask(Field("mask", {2, 8})));
  EXPECT_FALSE(IsPairMask(Field("mask", {2, 8, 4})));
  EXPECT_FALSE(IsPairMask(Field("image", {2, 3, 8, 8})));
  EXPECT_FALSE(IsPairMask(Field("x", {2, 1, 1})));
  SignatureField target = Field("t", {2, 8, 8});
  target.role = SignatureField::Role::kTarget;
  EXPECT_FALSE(IsPairMask(target));
}

TEST(ResetAttentionTest, NamesTheInputsAndTheRemedy) {
  EXPECT_THAT(
      RefuseResetAttention(
          {Field("ids", {2, 8}), Field("position_ids", {2, 8})}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "--reset-attention: expected an input that says of a stream "
               "which document each token is of, the plan has input 'ids' ([2, "
               "8] of i64), input 'position_ids' ([2, 8] of i64); leave the "
               "flag out, and the model attends across the ends of documents; "
               "or compile a model whose attention takes a mask for each pair "
               "of tokens as an input, and give it as an array"));
  EXPECT_THAT(
      RefuseResetAttention({Field("ids", {2, 8}), Field("mask", {2, 1, 8, 8})}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "--reset-attention: expected an input that says of a stream "
               "which document each token is of, the plan has input 'ids' ([2, "
               "8] of i64), input 'mask' ([2, 1, 8, 8] of i64); leave the flag "
               "out, and give input 'mask' with the other fields as arrays, "
               "--data mask=FILE.npy, which allow what each token attends to"));
}

}  // namespace
}  // namespace accel::runtime
