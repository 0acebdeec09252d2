// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is chosen of what cuDNN names, and what it computes.
#include "runtime/device/cuda/convolution_engines.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "test/cuda/convolutions/gpu_convolution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using planpb::Convolution;
using runtime::cuda::ConvolutionEngine;
using ::testing::HasSubstr;

constexpr uint64_t kWorkspace = uint64_t{64} << 20;

const ConvolutionShape kShapes[] = {
    {2, 3, 8, {6, 5}, {3, 3}, {1, 1}, {1, 1}},
    {1, 8, 4, {3, 4}, {3, 2}, {2, 1}, {1, 2}},
    {2, 4, 6, {7}, {3}, {2}, {1}},
    {2, 2, 3, {2, 3, 2}, {2, 1, 3}, {1, 2, 1}, {1, 1, 1}},
    {1, 1, 5, {4, 4}, {1, 1}, {2, 2}, {1, 1}},
};

double WorstOf(const std::vector<float> &got,
               const std::vector<float> &expected) {
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    worst =
        std::max(worst, std::abs(static_cast<double>(got[i]) - expected[i]));
  }
  return worst;
}

class ConvolutionEngineTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto opened = ConvolutionGpu::Open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    gpu_ = *std::move(opened);
  }

  absl::StatusOr<ConvolutionEngine> Choose(const Convolution &convolution,
                                           bool adds = false,
                                           uint64_t workspace = kWorkspace) {
    return ConvolutionEngine::Choose(gpu_->library(), convolution, adds, {},
                                     workspace);
  }

  std::unique_ptr<ConvolutionGpu> gpu_;
};

// Exact but for the last bit of a sum; TF32 would be wrong by a thousandth.
// What is only read stays.
TEST_F(ConvolutionEngineTest, ComputesWhatLoopsDo) {
  for (const ConvolutionShape &shape : kShapes) {
    for (const auto direction : {Convolution::DIRECTION_FORWARD,
                                 Convolution::DIRECTION_WEIGHT_GRADIENT}) {
      for (const bool adds : {false, true}) {
        const Convolution convolution = MakeConvolution(direction, shape);
        SCOPED_TRACE(runtime::cuda::DescribeConvolution(convolution));
        const auto engine = Choose(convolution, adds);
        ASSERT_TRUE(engine.ok()) << engine.status();
        ConvolutionGpu::Tensors expected = MakeTensors(shape);
        const auto got = gpu_->Run(*engine, expected, kWorkspace);
        ASSERT_TRUE(got.ok()) << got.status();
        if (!adds) {
          std::vector<float> &result =
              direction == Convolution::DIRECTION_FORWARD ? expected.output
                                                          : expected.weights;
          std::fill(result.begin(), result.end(), 0.0F);
        }
        AddByLoops(direction, shape, expected);
        EXPECT_LE(WorstOf(got->output, expected.output), 2e-5);
        EXPECT_LE(WorstOf(got->weights, expected.weights), 2e-5);
        EXPECT_EQ(got->image, expected.image);
      }
    }
  }
}

TEST_F(ConvolutionEngineTest, HasTheSameBitsEachTime) {
  const Convolution convolution =
      MakeConvolution(Convolution::DIRECTION_WEIGHT_GRADIENT, kShapes[0]);
  const auto engine = Choose(convolution);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const ConvolutionGpu::Tensors tensors = MakeTensors(kShapes[0]);
  const auto first = gpu_->Run(*engine, tensors, kWorkspace);
  ASSERT_TRUE(first.ok()) << first.status();
  for (int run = 0; run < 4; ++run) {
    const auto again = gpu_->Run(*engine, tensors, kWorkspace);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->weights, first->weights);
  }
}

// Only if the plan asks for it.
TEST_F(ConvolutionEngineTest, RoundsToTf32OnRequest) {
  Convolution convolution =
      MakeConvolution(Convolution::DIRECTION_FORWARD, kShapes[0]);
  const auto exact = Choose(convolution);
  ASSERT_TRUE(exact.ok()) << exact.status();
  convolution.set_tf32(true);
  const auto rounded = Choose(convolution);
  ASSERT_TRUE(rounded.ok()) << rounded.status();
  EXPECT_NE(rounded->description(), exact->description());
  ConvolutionGpu::Tensors expected = MakeTensors(kShapes[0]);
  const auto got = gpu_->Run(*rounded, expected, kWorkspace);
  ASSERT_TRUE(got.ok()) << got.status();
  std::fill(expected.output.begin(), expected.output.end(), 0.0F);
  AddByLoops(Convolution::DIRECTION_FORWARD, kShapes[0], expected);
  const double worst = WorstOf(got->output, expected.output);
  EXPECT_GT(worst, 2e-5);
  EXPECT_LT(worst, 2e-2);
}

TEST_F(ConvolutionEngineTest, StaysWithinTheWorkspace) {
  for (const ConvolutionShape &shape : kShapes) {
    const Convolution convolution =
        MakeConvolution(Convolution::DIRECTION_FORWARD, shape);
    const auto engine = Choose(convolution, false, 0);
    ASSERT_TRUE(engine.ok()) << engine.status();
    EXPECT_THAT(engine->description(), HasSubstr("workspace 0"));
  }
}

TEST_F(ConvolutionEngineTest, SaysWhatItCannotDo) {
  Convolution convolution =
      MakeConvolution(Convolution::DIRECTION_FORWARD, kShapes[0]);
  convolution.mutable_image()->set_dtype(planpb::ELEMENT_F64);
  const auto engine = Choose(convolution);
  EXPECT_TRUE(absl::IsUnimplemented(engine.status()));
  EXPECT_THAT(std::string(engine.status().message()),
              HasSubstr("cuDNN is not called for f64 yet"));
}

TEST(DescribeConvolutionTest, NamesSizesAndType) {
  Convolution convolution =
      MakeConvolution(Convolution::DIRECTION_FORWARD, kShapes[0]);
  EXPECT_EQ(runtime::cuda::DescribeConvolution(convolution),
            "forward of 2 at 6x5, windows of 3x3, 3 channels to 8, f32");
  convolution.set_tf32(true);
  convolution.set_direction(Convolution::DIRECTION_WEIGHT_GRADIENT);
  EXPECT_EQ(runtime::cuda::DescribeConvolution(convolution),
            "weight gradient of 2 at 6x5, windows of 3x3, 3 channels to 8, f32 "
            "as tf32");
}

} // namespace
} // namespace accel::testing
