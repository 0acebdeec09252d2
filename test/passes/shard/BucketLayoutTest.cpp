// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of parameters: what the solver makes, and that the verifier finds
// every way to be wrong.
#include "passes/Shard/BucketLayout.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accel {
namespace {

using testing::HasSubstr;

class BucketLayoutTest : public testing::Test {
protected:
  BucketLayoutTest() {
    problem.buckets = {{"before", {}}, {"block0", 0}};
    add("wte", {10, 7}, OptimizerGroup::Decayed, 0);
    add("scale", {7}, OptimizerGroup::Undecayed, 1);
    add("weight", {7, 30}, OptimizerGroup::Decayed, 1);
    add("bias", {30}, OptimizerGroup::Undecayed, 1);
    add("rotation", {200}, OptimizerGroup::Frozen, 1);
    layout = solve(problem);
  }

  void add(const char *name, llvm::ArrayRef<int64_t> shape,
           OptimizerGroup group, unsigned bucket) {
    auto type =
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context));
    problem.parameters.push_back({name, type, group, bucket});
  }

  mlir::MLIRContext context;
  BucketProblem problem;
  BucketLayout layout;
};

TEST_F(BucketLayoutTest, SegmentsAreOrderedByBucketAndGroup) {
  ASSERT_EQ(layout.segments.size(), 4u);
  EXPECT_EQ(layout.segments[0].name, "decayed");
  EXPECT_EQ(layout.segments[1].bucket, 1u);
  EXPECT_EQ(layout.segments[2].name, "undecayed");
  EXPECT_EQ(layout.segments[3].name, "frozen");
}

TEST_F(BucketLayoutTest,
       ParametersLieAtMultiplesOfSixteenInSegmentsOfMultiplesOfTheGranule) {
  EXPECT_EQ(layout.places[1].offset, 0);
  EXPECT_EQ(layout.places[3].offset, 16);
  EXPECT_EQ(layout.segments[0].elements, 128);
  EXPECT_EQ(layout.segments[1].elements, 256);
  EXPECT_EQ(layout.segments[3].elements, 256);
  EXPECT_EQ(verify(problem, layout), "");
}

TEST_F(BucketLayoutTest, OtherElementTypesGetASegmentOfTheirOwn) {
  auto type =
      mlir::RankedTensorType::get({3}, mlir::IntegerType::get(&context, 64));
  problem.parameters.push_back({"ids", type, OptimizerGroup::Frozen, 1});
  layout = solve(problem);
  EXPECT_EQ(layout.segments.back().name, "frozen_i64");
  EXPECT_EQ(verify(problem, layout), "");
}

TEST_F(BucketLayoutTest, OverlapIsFound) {
  layout.places[3].offset = 0;
  EXPECT_EQ(verify(problem, layout), "'scale' and 'bias' overlap");
}

TEST_F(BucketLayoutTest, MisalignmentIsFound) {
  layout.places[3].offset = 8;
  EXPECT_THAT(verify(problem, layout),
              HasSubstr("'bias' at offset 8 is not aligned to 16"));
}

TEST_F(BucketLayoutTest, LyingOutsideIsFound) {
  layout.places[4].offset = 64;
  EXPECT_THAT(verify(problem, layout), HasSubstr("'rotation' at offset 64"));
}

TEST_F(BucketLayoutTest, WrongSegmentIsFound) {
  layout.places[1].segment = 1;
  EXPECT_EQ(verify(problem, layout),
            "'scale' does not belong into segment decayed of bucket block0");
}

TEST_F(BucketLayoutTest, WrongGranuleIsFound) {
  layout.segments[1].elements = 240;
  EXPECT_EQ(verify(problem, layout),
            "segment decayed has 240 elements, not a multiple of 128");
}

TEST_F(BucketLayoutTest, MissingPlaceIsFound) {
  layout.places.pop_back();
  EXPECT_EQ(verify(problem, layout), "expected 5 places, got 4");
}

TEST_F(BucketLayoutTest, TrainableParametersAreF32) {
  auto type =
      mlir::RankedTensorType::get({3}, mlir::BFloat16Type::get(&context));
  problem.parameters.push_back({"half", type, OptimizerGroup::Undecayed, 1});
  EXPECT_EQ(problem.check(), "trainable parameter 'half': expected element "
                             "type f32, got tensor<3xbf16>");
}

TEST_F(BucketLayoutTest, NamesAreUnique) {
  problem.parameters.push_back(problem.parameters.front());
  EXPECT_EQ(problem.check(), "parameter 'wte' occurs twice");
}

} // namespace
} // namespace accel
