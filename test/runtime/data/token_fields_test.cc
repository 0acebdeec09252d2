// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The token input is found by shape and range, whatever it is called.
#include "runtime/data/token_fields.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SignatureField Ids(int64_t vocabulary, int64_t length) {
  return {"a", {4, length}, DType::kI64, 0, vocabulary - 1};
}

SignatureField Labels(int64_t vocabulary, int64_t length) {
  SignatureField field = Ids(vocabulary, length);
  field.role = SignatureField::Role::kTarget;
  return field;
}

TEST(TokenFieldsTest, FindsTheOneInputWithARange) {
  const std::vector<SignatureField> signature = {
      {"mask", {4, 64}, DType::kI64}, Ids(256, 64), Labels(256, 64)};
  EXPECT_THAT(TokenInputs(signature), ElementsAre(1));
  EXPECT_EQ(SuccessorTarget(signature, 1), 2);
}

TEST(TokenFieldsTest, PositionsAreToldApartByTheTargetsRange) {
  const std::vector<SignatureField> signature = {Ids(1024, 64), Ids(256, 64),
                                                 Labels(256, 64)};
  EXPECT_THAT(TokenInputs(signature), ElementsAre(1));
}

TEST(TokenFieldsTest, TwoThatFitEquallyStayTwo) {
  const std::vector<SignatureField> signature = {Ids(256, 64), Ids(256, 64),
                                                 Labels(256, 64)};
  EXPECT_THAT(TokenInputs(signature), ElementsAre(0, 1));
}

TEST(TokenFieldsTest, AnInputAlignedWithTheTargetComesFirst) {
  const std::vector<SignatureField> signature = {Ids(256, 32), Ids(256, 64),
                                                 Labels(256, 64)};
  EXPECT_THAT(TokenInputs(signature), ElementsAre(1));
}

TEST(TokenFieldsTest, FloatsAndUnboundedIntegersAreNoTokens) {
  const std::vector<SignatureField> signature = {
      {"x", {4, 64}, DType::kF32}, {"mask", {4, 64}, DType::kI64}};
  EXPECT_THAT(TokenInputs(signature), IsEmpty());
}

TEST(TokenFieldsTest, ATargetThatCannotHoldTheIgnoredValueIsNoSuccessor) {
  SignatureField labels = Labels(256, 64);
  labels.dtype = DType::kU8;
  EXPECT_FALSE(IsSuccessorTarget(labels, Ids(256, 64)));
}

}  // namespace
}  // namespace accel::runtime
