// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of a plan refer to matrices that fit together, or the plan is refused.
#include <string>

#include "test/runtime/plan/validate/damage.h"

namespace accel::testing {
namespace {

void AddMatrix(planpb::Manifest& manifest, const std::string& name,
               uint64_t rows, uint64_t columns) {
  planpb::Parameter* parameter = manifest.add_parameters();
  parameter->set_name(name);
  parameter->add_shape(rows);
  parameter->add_shape(columns);
  parameter->set_dtype(planpb::ELEMENT_F32);
  parameter->set_segment(1);
}

// Beside `table`, [2, 4], a pair of rank 1.
planpb::Adapter& AddPair(SamplePlan& plan) {
  AddMatrix(plan.manifest, "a", 1, 4);
  AddMatrix(plan.manifest, "b", 2, 1);
  planpb::Adapters& adapters = *plan.manifest.mutable_adapters();
  adapters.set_rank(1);
  adapters.set_alpha(2);
  planpb::Adapter& adapter = *adapters.add_added();
  adapter.set_weight(1);
  adapter.set_a(2);
  adapter.set_b(3);
  adapter.set_module("table");
  return adapter;
}

TEST(ValidateAdaptersTest, AcceptsAPairThatFits) {
  SamplePlan plan = MakeSamplePlan();
  AddPair(plan);
  EXPECT_TRUE(ViewOf(plan).ok());
}

class ValidateAdaptersTest : public ::testing::TestWithParam<Damage> {};

TEST_P(ValidateAdaptersTest, Refuses) { ExpectRefused(GetParam()); }

const Damage kDamages[] = {
    {"NoRank",
     [](SamplePlan& plan) {
       AddPair(plan);
       plan.manifest.mutable_adapters()->set_rank(0);
     },
     "adapters: expected a rank from 1 on, a finite alpha and a dropout below "
     "1, got 0, 2 and 0"},
    {"AlphaThatIsNone",
     [](SamplePlan& plan) {
       AddPair(plan);
       plan.manifest.mutable_adapters()->set_alpha(HUGE_VAL);
     },
     "adapters: expected a rank from 1 on, a finite alpha and a dropout below "
     "1, got 1, inf and 0"},
    {"AllDropped",
     [](SamplePlan& plan) {
       AddPair(plan);
       plan.manifest.mutable_adapters()->set_dropout(1);
     },
     "a dropout below 1, got 1, 2 and 1"},
    {"WeightThatIsNotThere",
     [](SamplePlan& plan) { AddPair(plan).set_weight(9); },
     "adapter of 'table': refers to weight 9 of 4"},
    {"WeightThatIsAVector",
     [](SamplePlan& plan) { AddPair(plan).set_weight(0); },
     "adapter of 'table': expected 'linear.weight' to be a matrix"},
    {"AThatIsNotThere", [](SamplePlan& plan) { AddPair(plan).set_a(4); },
     "adapter of 'table': refers to A 4 of 4"},
    {"BThatIsNotThere", [](SamplePlan& plan) { AddPair(plan).set_b(5); },
     "adapter of 'table': refers to B 5 of 4"},
    {"WeightThatIsTurned",
     [](SamplePlan& plan) { AddPair(plan).set_fan_in_fan_out(true); },
     "adapter of 'table': expected 'a' to be f32 [1, 2]"},
    {"BOfAnotherRank",
     [](SamplePlan& plan) {
       AddPair(plan);
       plan.manifest.mutable_parameters(3)->set_shape(1, 2);
     },
     "adapter of 'table': expected 'b' to be f32 [2, 1]"},
    {"TwoPairsOfOneWeight",
     [](SamplePlan& plan) {
       planpb::Adapter adapter = AddPair(plan);
       *plan.manifest.mutable_adapters()->add_added() = adapter;
     },
     "adapter of 'table': its weight has one already"}};

INSTANTIATE_TEST_SUITE_P(Damages, ValidateAdaptersTest,
                         ::testing::ValuesIn(kDamages), NameOfDamage);

}  // namespace
}  // namespace accel::testing
