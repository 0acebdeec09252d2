// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of libraries that a plan is refused for.
#include <cstdint>

#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/validate/damage.h"

namespace accel::testing {
namespace {

using planpb::Convolution;

class RefusedConvolutionTest : public ::testing::TestWithParam<Damage> {};

TEST_P(RefusedConvolutionTest, NamesTheFault) { ExpectRefused(GetParam()); }

// A tensor of one element.
void SetOne(Convolution::Strided& tensor, uint32_t operand) {
  tensor.set_operand(operand);
  tensor.set_dtype(planpb::ELEMENT_F32);
  for (int dimension = 0; dimension < 3; ++dimension) {
    tensor.add_strides(1);
  }
}

// The first kernel's entry, made a convolution of its first operand by itself
// into its last one, of one element each.
Convolution& ConvolutionOf(SamplePlan& p) {
  planpb::KernelEntry& entry =
      *p.manifest.mutable_kernels(0)->mutable_entries(0);
  if (entry.call().has_convolution()) {
    return *entry.mutable_call()->mutable_convolution();
  }
  entry.clear_size();
  entry.set_tiles(1);
  entry.set_grain(1);
  for (uint64_t& bytes : *entry.mutable_tile_bytes()) {
    bytes = 0;
  }
  entry.mutable_call()->set_library("tensors");
  entry.mutable_call()->set_function("convolve");
  Convolution& convolution = *entry.mutable_call()->mutable_convolution();
  convolution.set_direction(Convolution::DIRECTION_FORWARD);
  convolution.set_samples(1);
  convolution.set_channels(1);
  convolution.set_filters(1);
  convolution.add_places(1);
  convolution.add_windows(1);
  convolution.add_strides(1);
  convolution.add_dilations(1);
  SetOne(*convolution.mutable_image(), 0);
  SetOne(*convolution.mutable_weights(), 0);
  SetOne(*convolution.mutable_output(), 5);
  convolution.set_mode(planpb::Product::RESULT_STORED);
  return convolution;
}

const Damage kConvolutionCases[] = {
    {"NoDirection", [](SamplePlan& p) { ConvolutionOf(p).clear_direction(); },
     "convolution: expected a direction that this release knows, got number 0"},
    {"UnknownDirection",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_direction(static_cast<Convolution::Direction>(99));
     },
     "convolution: expected a direction that this release knows, got number "
     "99"},
    {"NoSpatialDimension",
     [](SamplePlan& p) { ConvolutionOf(p).clear_places(); },
     "convolution: expected one to three spatial dimensions, got 0"},
    {"AWindowTooMany", [](SamplePlan& p) { ConvolutionOf(p).add_windows(3); },
     "convolution: expected a number from 1 to 2147483647 for each of 1 "
     "spatial "
     "dimensions, got [1, 3]"},
    {"NoStride", [](SamplePlan& p) { ConvolutionOf(p).set_strides(0, 0); },
     "convolution: expected a number from 1 to 2147483647 for each of 1 "
     "spatial "
     "dimensions, got [0]"},
    {"ManyPlaces",
     [](SamplePlan& p) { ConvolutionOf(p).set_places(0, uint64_t{1} << 63); },
     "convolution: expected a number from 1 to 2147483647 for each of 1 "
     "spatial "
     "dimensions, got [9223372036854775808]"},
    {"NoChannel", [](SamplePlan& p) { ConvolutionOf(p).set_channels(0); },
     "convolution: expected samples, channels and filters from 1 to "
     "2147483647, got 1, 0 and 1"},
    {"ImageBeyondItsMemory",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_dilations(0, 1 << 20);
       ConvolutionOf(p).set_windows(0, 2);
     },
     "convolution: image: expected a tensor to lie in the "},
    {"ImageThatOverflows",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_samples(3);
       ConvolutionOf(p).mutable_image()->set_strides(0, uint64_t{1} << 63);
     },
     "convolution: image: expected a tensor to lie in the "},
    {"WeightsBehindTheirMemory",
     [](SamplePlan& p) {
       ConvolutionOf(p).mutable_weights()->set_offset(uint64_t{0} - 4);
     },
     "convolution: weights: expected a tensor to lie in the "},
    {"OutputOfNoOperand",
     [](SamplePlan& p) { ConvolutionOf(p).mutable_output()->set_operand(99); },
     "convolution: output: refers to operand 99 of "},
    {"AStrideTooFew",
     [](SamplePlan& p) {
       ConvolutionOf(p).mutable_output()->mutable_strides()->RemoveLast();
     },
     "convolution: output: expected a positive stride for each of 3 "
     "dimensions, got [1, 1]"},
    {"StrideOfNothing",
     [](SamplePlan& p) { ConvolutionOf(p).mutable_image()->set_strides(1, 0); },
     "convolution: image: expected a positive stride for each of 3 dimensions, "
     "got [1, 0, 1]"},
    {"OutputThatOverlaps",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_filters(2);
       ConvolutionOf(p).set_samples(2);
       ConvolutionOf(p).mutable_image()->set_strides(0, 1);
       ConvolutionOf(p).mutable_output()->set_dtype(planpb::ELEMENT_BF16);
     },
     "convolution: output: expected what is computed to lie without gaps, got "
     "2x1x2 with strides [1, 1, 1]"},
    {"OutputThatIsRead",
     [](SamplePlan& p) { ConvolutionOf(p).mutable_output()->set_operand(0); },
     "convolution: output: expected what is computed in an operand that is "
     "written, got operand 0"},
    {"GradientThatIsRead",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_direction(Convolution::DIRECTION_WEIGHT_GRADIENT);
     },
     "convolution: weights: expected what is computed in an operand that is "
     "written, got operand 0"},
    {"OtherTypes",
     [](SamplePlan& p) {
       ConvolutionOf(p).mutable_weights()->set_dtype(planpb::ELEMENT_BF16);
     },
     "convolution: expected tensors of one type, got f32, bf16 and f32"},
    {"NarrowNumbersInTf32",
     [](SamplePlan& p) {
       Convolution& convolution = ConvolutionOf(p);
       convolution.set_tf32(true);
       convolution.mutable_image()->set_dtype(planpb::ELEMENT_BF16);
       convolution.mutable_weights()->set_dtype(planpb::ELEMENT_BF16);
       convolution.mutable_output()->set_dtype(planpb::ELEMENT_BF16);
     },
     "convolution: expected tensors of f32, which are rounded to TF32, got "
     "bf16"},
    {"NotStored", [](SamplePlan& p) { ConvolutionOf(p).clear_mode(); },
     "convolution: expected a call to say how its result is stored, got 0"},
    {"NoFlag",
     [](SamplePlan& p) {
       ConvolutionOf(p).set_mode(planpb::Product::RESULT_ADDED_IF);
       ConvolutionOf(p).set_flag(99);
     },
     "convolution: refers to operand 99 of "},
    {"ProductAsWell",
     [](SamplePlan& p) {
       ConvolutionOf(p);
       p.manifest.mutable_kernels(0)
           ->mutable_entries(0)
           ->mutable_call()
           ->mutable_product();
     },
     "expected a call of 'tensors' to compute a product or a convolution, got "
     "both"}};

INSTANTIATE_TEST_SUITE_P(Convolutions, RefusedConvolutionTest,
                         ::testing::ValuesIn(kConvolutionCases), NameOfDamage);

}  // namespace
}  // namespace accel::testing
