// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations that change what steps keep, by damage: each is refused, with the
// instruction and the buffer.
#include "runtime/plan/verify/verify_evaluation.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_layout.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Instruction;
using runtime::MemoryLayout;
using runtime::RankBinding;
using ::testing::AllOf;
using ::testing::HasSubstr;

absl::Status VerifyMeasured(const SamplePlan& plan) {
  const auto view = ViewOf(plan);
  EXPECT_OK(view);
  const auto layout = MemoryLayout::Create(*view, RankBinding());
  EXPECT_OK(layout);
  return runtime::VerifyEvaluation(*view, *layout);
}

// The sample with a function of the role: the step as far as the sums of
// losses and targets, with the step's events.
SamplePlan MakeMeasuringPlan(planpb::FunctionRole role) {
  SamplePlan plan = MakeSamplePlan();
  std::vector<Instruction> measured;
  for (const char* name :
       {"fill loss_sum", "fill count", "fetch first", "microbatches",
        "fetch next", "predict", "residual"}) {
    measured.push_back(plan.Step(name));
    measured.back().set_id(static_cast<uint32_t>(measured.size() - 1));
  }
  measured[3].mutable_repeat()->set_last(6);
  measured[6].add_signals(1);  // as the gradient does in a step
  planpb::Function* function = plan.manifest.add_functions();
  *function = plan.step_function();
  function->set_name("measure");
  function->set_role(role);
  function->set_instructions(static_cast<uint32_t>(measured.size()));
  function->set_events(3);
  function->clear_gradients_complete_plus_one();
  plan.functions.push_back(std::move(measured));
  return plan;
}

SamplePlan MakeEvaluatingPlan() {
  return MakeMeasuringPlan(planpb::FUNCTION_EVALUATE);
}

// The function's last instruction writes the buffer.
void Spoil(SamplePlan& plan, const std::string& buffer) {
  auto& instructions = plan.functions[2];
  Instruction& fill = instructions.emplace_back();
  fill.set_id(static_cast<uint32_t>(instructions.size() - 1));
  fill.set_name("spoil");
  fill.set_phase(planpb::PHASE_REPORT);
  fill.mutable_fill();
  Access* access = fill.add_accesses();
  access->set_buffer(plan.BufferIndex(buffer));
  access->set_mode(Access::MODE_WRITE);
  plan.manifest.mutable_functions(2)->set_instructions(
      static_cast<uint32_t>(instructions.size()));
}

void AddFreeState(SamplePlan& plan, const std::string& name,
                  planpb::State::Kind kind) {
  planpb::Buffer* buffer = plan.manifest.add_buffers();
  *buffer = plan.Buffer("lr");
  buffer->set_name(name);
  planpb::State* state = plan.manifest.add_states();
  state->set_name(name);
  state->set_buffer(plan.BufferIndex(name));
  state->set_kind(kind);
}

TEST(VerifyEvaluationTest, APlanThatDoesNotMeasureIsSound) {
  EXPECT_OK(VerifyMeasured(MakeSamplePlan()));
}

TEST(VerifyEvaluationTest, SumsThatStepsClearMayBeWritten) {
  EXPECT_OK(VerifyMeasured(MakeEvaluatingPlan()));
}

TEST(VerifyEvaluationTest, ParametersAreLeftAlone) {
  SamplePlan plan = MakeEvaluatingPlan();
  Spoil(plan, "w");
  EXPECT_THAT(
      VerifyMeasured(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "instruction 7 of 'measure' (fill 'spoil', stream 'compute') "
               "writes buffer 'w', the master of segment 'block0.decayed': "
               "expected a function to evaluate to leave what steps keep as it "
               "is; the plan was changed or is damaged: compile the model "
               "again"));
}

TEST(VerifyEvaluationTest, AnUpdateInPlaceIsAWrite) {
  SamplePlan plan = MakeEvaluatingPlan();
  // The launch of 'predict' reads w.
  plan.functions[2][5].mutable_accesses(1)->set_mode(Access::MODE_READ_WRITE);
  EXPECT_THAT(VerifyMeasured(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("instruction 5 of 'measure' (launch "
                                       "'predict', stream 'compute')"),
                             HasSubstr("writes buffer 'w'"))));
}

TEST(VerifyEvaluationTest, FrozenParametersGradientsAndHyperparametersAreKept) {
  for (const auto& [buffer, meaning] :
       {std::pair{"table", "the master of segment 'block0.frozen'"},
        std::pair{"gradient", "the gradient of segment 'block0.decayed'"},
        std::pair{"lr", "hyperparameter 'lr'"}}) {
    SamplePlan plan = MakeEvaluatingPlan();
    Spoil(plan, buffer);
    EXPECT_THAT(VerifyMeasured(plan),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr("'spoil'"), HasSubstr(meaning))));
  }
}

TEST(VerifyEvaluationTest, StatesOtherThanSumsAreKept) {
  for (const auto kind :
       {planpb::State::KIND_COUNTER, planpb::State::KIND_SCALE,
        planpb::State::KIND_HYPERPARAMETER, planpb::State::KIND_UNSPECIFIED}) {
    SamplePlan plan = MakeEvaluatingPlan();
    AddFreeState(plan, "extra", kind);
    EXPECT_OK(VerifyMeasured(plan));
    Spoil(plan, "extra");
    EXPECT_THAT(VerifyMeasured(plan),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("state 'extra'")))
        << kind;
  }
  for (const auto kind :
       {planpb::State::KIND_ACCUMULATOR, planpb::State::KIND_PARTIAL}) {
    SamplePlan plan = MakeEvaluatingPlan();
    AddFreeState(plan, "extra", kind);
    Spoil(plan, "extra");
    EXPECT_OK(VerifyMeasured(plan));
  }
}

TEST(VerifyEvaluationTest, AFunctionThatAnswersIsHeldToItToo) {
  SamplePlan plan = MakeMeasuringPlan(planpb::FUNCTION_INFER);
  EXPECT_OK(VerifyMeasured(plan));
  Spoil(plan, "w");
  EXPECT_THAT(VerifyMeasured(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("a function to infer")));
}

TEST(VerifyEvaluationTest, AStepThatAddsToTheSumsOfAnEvaluationIsRefused) {
  SamplePlan plan = MakeEvaluatingPlan();
  plan.Step("fill loss_sum")
      .mutable_accesses(0)
      ->set_buffer(plan.BufferIndex("grad_norm"));
  EXPECT_THAT(
      VerifyMeasured(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "instruction 7 of 'step' (launch 'residual', stream 'compute') "
               "reads buffer 'loss_sum' before 'step' has written it, and "
               "finds what instruction 6 of 'measure' (launch 'residual', "
               "stream 'compute') has left there; the plan was changed or is "
               "damaged: compile the model again"));
}

TEST(VerifyEvaluationTest, ASumThatIsClearedInPartIsRefused) {
  for (const uint64_t offset : {0, 4}) {
    SamplePlan plan = MakeEvaluatingPlan();
    Access* access = plan.Step("fill loss_sum").mutable_accesses(0);
    access->set_offset(offset);
    access->set_bytes(4);
    EXPECT_THAT(VerifyMeasured(plan),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("reads buffer 'loss_sum' before 'step'")))
        << offset;
  }
}

TEST(VerifyEvaluationTest, AnEvaluationThatAddsToTheLastOnesSumsIsRefused) {
  SamplePlan plan = MakeEvaluatingPlan();
  plan.functions[2][1].mutable_accesses(0)->set_buffer(
      plan.BufferIndex("loss"));
  EXPECT_THAT(
      VerifyMeasured(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("instruction 6 of 'measure' (launch 'residual'"),
                     HasSubstr("reads buffer 'count' before 'measure'"))));
}

TEST(VerifyEvaluationTest, AMetricThatStepsWriteAnewMayBeWritten) {
  SamplePlan plan = MakeEvaluatingPlan();
  Spoil(plan, "grad_norm");
  EXPECT_OK(VerifyMeasured(plan));
}

// What a step finds there is an error for any buffer but a workspace, of whose
// bytes no instruction relies on another's.
TEST(VerifyEvaluationTest, OnlyAWorkspaceMayBeFoundAsItWasLeft) {
  SamplePlan plan = MakeEvaluatingPlan();
  planpb::Buffer* room = plan.manifest.add_buffers();
  *room = plan.Buffer("gradient");
  room->set_name("room");
  room->set_memory_class(planpb::CLASS_WORKSPACE);
  Spoil(plan, "room");
  Access access;
  access.set_buffer(plan.BufferIndex("room"));
  access.set_mode(Access::MODE_READ_WRITE);
  *plan.Step("update").add_accesses() = access;
  EXPECT_OK(VerifyMeasured(plan));
  plan.Buffer("room").set_memory_class(planpb::CLASS_ACTIVATIONS);
  EXPECT_THAT(VerifyMeasured(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("(launch 'update'"),
                             HasSubstr("reads buffer 'room'"),
                             HasSubstr("(fill 'spoil'"))));
}

}  // namespace
}  // namespace accel::testing
