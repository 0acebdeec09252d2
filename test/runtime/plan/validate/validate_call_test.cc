// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of libraries that a plan is refused for.
#include <cstdint>

#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/validate/damage.h"

namespace accel::testing {
namespace {

class RefusedCallTest : public ::testing::TestWithParam<Damage> {};

TEST_P(RefusedCallTest, NamesTheFault) { ExpectRefused(GetParam()); }

// The first kernel's entry, made a call of a library.
planpb::KernelEntry& CallOf(SamplePlan& p) {
  planpb::KernelEntry& entry =
      *p.manifest.mutable_kernels(0)->mutable_entries(0);
  entry.clear_size();
  entry.set_tiles(1);
  entry.set_grain(1);
  for (uint64_t& bytes : *entry.mutable_tile_bytes()) {
    bytes = 0;
  }
  entry.mutable_call()->set_library("matrices");
  entry.mutable_call()->set_function("multiply");
  return entry;
}

// The same, of a product of its first operand by itself into its second one.
planpb::Product& ProductOf(SamplePlan& p) {
  planpb::Product& product = *CallOf(p).mutable_call()->mutable_product();
  product.set_matrices(1);
  product.set_rows(1);
  product.set_columns(1);
  product.set_depth(1);
  product.mutable_lhs()->set_dtype(planpb::ELEMENT_F32);
  product.mutable_rhs()->set_dtype(planpb::ELEMENT_F32);
  product.mutable_result()->set_dtype(planpb::ELEMENT_F32);
  product.mutable_result()->set_operand(1);
  product.set_mode(planpb::Product::RESULT_STORED);
  return product;
}

const Damage kCallCases[] = {
    {"CallWithoutFunction",
     [](SamplePlan& p) {
       planpb::KernelEntry& entry = CallOf(p);
       entry.mutable_call()->clear_function();
     },
     "kernel 'residual': x86-64: expected a call to name a library and its "
     "function, got 'matrices' and ''"},
    {"CallWithCode", [](SamplePlan& p) { CallOf(p).set_size(16); },
     "kernel 'residual': x86-64: expected a call of 'matrices' to have no code "
     "and one tile, got 16 bytes and 1 tiles"},
    {"CallWithoutWorkspace",
     [](SamplePlan& p) { CallOf(p).mutable_call()->set_workspace(64); },
     "kernel 'residual': x86-64: expected a workspace of at least 64 bytes for "
     "a call of 'matrices', got 0"},
    {"ProductWithoutSize", [](SamplePlan& p) { ProductOf(p).set_depth(0); },
     "product: expected a product of positive sizes, got 1 of 1x1 over 0"},
    {"ProductBeyondItsMemory",
     [](SamplePlan& p) { ProductOf(p).set_rows(1 << 20); },
     "product: lhs: expected a factor to lie in the "},
    {"ProductThatOverflows",
     [](SamplePlan& p) { ProductOf(p).set_rows(uint64_t{1} << 63); },
     "product: expected sizes of a product up to 2147483647, got 1 of "
     "9223372036854775808x1 over 1"},
    {"ProductBehindItsMemory",
     [](SamplePlan& p) {
       ProductOf(p).mutable_rhs()->set_offset(uint64_t{0} - 4);
     },
     "product: rhs: expected a factor to lie in the "},
    {"ProductOfNoOperand",
     [](SamplePlan& p) { ProductOf(p).mutable_result()->set_operand(99); },
     "product: result: refers to operand 99 of "},
    {"ScaleOfNoOperand",
     [](SamplePlan& p) {
       ProductOf(p).mutable_lhs()->mutable_scale()->set_operand(99);
     },
     "product: lhs: scale: refers to operand 99 of "},
    {"ScaleBehindItsMemory",
     [](SamplePlan& p) {
       ProductOf(p).mutable_rhs()->mutable_scale()->set_offset(uint64_t{0} - 4);
     },
     "product: rhs: scale: expected a number of f32 in the "},
    {"ScaleBetweenNumbers",
     [](SamplePlan& p) {
       ProductOf(p).mutable_rhs()->mutable_scale()->set_offset(2);
     },
     "product: rhs: scale: expected a number of f32 in the "},
    {"ScaleOfWideNumbers",
     [](SamplePlan& p) { ProductOf(p).mutable_lhs()->mutable_scale(); },
     "product: lhs: scale: expected none but of floats of 8 bits, got one of "
     "f32"},
    {"ProductOfNarrowNumbersInTf32",
     [](SamplePlan& p) {
       planpb::Product& product = ProductOf(p);
       product.mutable_rhs()->set_dtype(planpb::ELEMENT_BF16);
       product.set_tf32(true);
     },
     "product: expected operands of f32, which are rounded to TF32, got f32 "
     "and "
     "bf16"},
    {"BiasOfNoOperand",
     [](SamplePlan& p) { ProductOf(p).mutable_bias()->set_operand(99); },
     "product: bias: refers to operand 99 of "},
    {"BiasBehindItsMemory",
     [](SamplePlan& p) {
       ProductOf(p).mutable_bias()->set_offset(uint64_t{0} - 4);
     },
     "product: bias: expected a factor to lie in the "},
    {"ActivationOfNoOperand",
     [](SamplePlan& p) {
       ProductOf(p).set_activation(planpb::Product::ACTIVATION_GELU);
       ProductOf(p).mutable_kept()->set_operand(99);
     },
     "product: activation: refers to operand 99 of "},
    {"ActivationBehindItsMemory",
     [](SamplePlan& p) {
       ProductOf(p).set_activation(planpb::Product::ACTIVATION_GELU);
       ProductOf(p).mutable_kept()->set_offset(uint64_t{0} - 4);
     },
     "product: activation: expected a factor to lie in the "},
    {"GradientOfNothing",
     [](SamplePlan& p) {
       ProductOf(p).set_activation(planpb::Product::ACTIVATION_GELU_GRADIENT);
     },
     "product: activation: expected a place of what an activation is applied "
     "to with an activation, and always with a gradient, got none"},
    {"PlaceWithoutActivation",
     [](SamplePlan& p) { ProductOf(p).mutable_kept(); },
     "product: activation: expected a place of what an activation is applied "
     "to with an activation, and always with a gradient, got one"},
    {"UnknownActivation",
     [](SamplePlan& p) {
       ProductOf(p).set_activation(
           static_cast<planpb::Product::Activation>(99));
     },
     "product: activation: expected an activation that this release knows, got "
     "number 99"},
    {"ProductThatIsNotStored", [](SamplePlan& p) { ProductOf(p).clear_mode(); },
     "product: expected a call to say how its result is stored, got 0"},
    {"ProductWithoutFlag",
     [](SamplePlan& p) {
       planpb::Product& product = ProductOf(p);
       product.set_mode(planpb::Product::RESULT_ADDED_IF);
       product.set_flag(99);
     },
     "product: refers to operand 99 of "},
};

INSTANTIATE_TEST_SUITE_P(Calls, RefusedCallTest,
                         ::testing::ValuesIn(kCallCases), NameOfDamage);

}  // namespace
}  // namespace accel::testing
