// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan is refused for every reference, range or enumerator that is wrong, by
// a message that names it.
#include "runtime/plan/validate/plan_view.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "runtime/plan/container/container_writer.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/random/philox.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/validate/damage.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

class RefusedPlanTest : public ::testing::TestWithParam<Damage> {};

TEST_P(RefusedPlanTest, NamesTheFault) { ExpectRefused(GetParam()); }

const Damage kMemoryCases[] = {
    {"MissingAxis",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()->mutable_axes()->RemoveLast();
     },
     "mesh: expected 6 axes, got 5"},
    {"AxesInAnotherOrder",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()->mutable_axes()->SwapElements(0, 1);
     },
     "mesh: expected axis 'replica' as number 0, got 'fsdp'"},
    {"NoSymbolicAxis",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()
           ->mutable_axes(planpb::AXIS_FSDP - 1)
           ->set_degree(4);
     },
     "mesh: expected one symbolic axis, 'replica' or 'fsdp', along which the "
     "ranks of a run lie, got 0"},
    {"TwoSymbolicAxes",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()
           ->mutable_axes(planpb::AXIS_REPLICA - 1)
           ->set_degree(0);
     },
     "mesh: expected one symbolic axis, 'replica' or 'fsdp', along which the "
     "ranks of a run lie, got 2"},
    {"AnotherAxisIsSymbolic",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()
           ->mutable_axes(planpb::AXIS_TENSOR - 1)
           ->set_degree(0);
     },
     "mesh: expected axis 'tensor' to have a degree; only 'replica' and "
     "'fsdp' can be symbolic"},
    {"UnknownStream",
     [](SamplePlan& p) {
       p.manifest.mutable_streams(1)->set_kind(
           static_cast<planpb::StreamKind>(9));
     },
     "stream 'communication' is of unknown kind 9"},
    {"TwoComputeStreams",
     [](SamplePlan& p) {
       p.manifest.mutable_streams(1)->set_kind(planpb::STREAM_COMPUTE);
     },
     "stream 'communication' is the second one of its kind"},
    {"TwoArenas",
     [](SamplePlan& p) { *p.manifest.add_arenas() = p.manifest.arenas(0); },
     "two arenas lie in space 1"},
    {"ArenaAlignment",
     [](SamplePlan& p) { p.manifest.mutable_arenas(0)->set_alignment(48); },
     "alignment to be a power of two up to 2097152, got 48"},
    {"BufferName", [](SamplePlan& p) { p.Buffer("gradient").set_name("w"); },
     "buffer 1 ('w'): the name is taken"},
    {"BufferSpace",
     [](SamplePlan& p) {
       p.Buffer("w").set_space(static_cast<planpb::Space>(7));
     },
     "buffer 0 ('w'): it lies in unknown space 7"},
    {"BufferType",
     [](SamplePlan& p) {
       p.Buffer("w").set_dtype(static_cast<planpb::ElementType>(77));
     },
     "buffer 0 ('w'): unknown element type 77"},
    {"BufferShape",
     [](SamplePlan& p) { p.Buffer("w").set_shape(0, uint64_t{1} << 63); },
     "its shape does not fit into 64 bytes"},
    {"TransientBeyondArena",
     [](SamplePlan& p) { p.Buffer("residual").set_offset(256); },
     "it ends beyond its arena of 256 bytes: offset 256, size 8"},
    {"TransientUnaligned",
     [](SamplePlan& p) { p.Buffer("residual").set_offset(65); },
     "offset 65 is not aligned to 64"},
    {"TransientCopies",
     [](SamplePlan& p) { p.Buffer("residual").set_copies(2); },
     "expected one copy of a transient buffer, got 2"},
    {"TooManyCopies", [](SamplePlan& p) { p.Buffer("x").set_copies(1000); },
     "expected at most 16 copies, got 1000"},
    {"PersistentWithOffset",
     [](SamplePlan& p) { p.Buffer("w").set_offset(64); },
     "only transient buffers have an offset"},
    {"ConstantWithoutContent",
     [](SamplePlan& p) { p.Buffer("constant").clear_content(); },
     "constants, and they only, have content"},
    {"ConstantBeyondSection",
     [](SamplePlan& p) {
       p.Buffer("constant").mutable_content()->set_offset(8);
     },
     "bytes [8, +16) do not lie in section 'constants' of 16 bytes"},
    {"ConstantInWrongSection",
     [](SamplePlan& p) {
       p.Buffer("constant").mutable_content()->set_section(kText);
     },
     "section 'text': expected kind 4, got 5"},
    {"FunctionArena",
     [](SamplePlan& p) {
       planpb::Arena* arena = p.step_function().add_arenas();
       *arena = p.manifest.arenas(0);
       arena->set_bytes(512);
     },
     "function 'step': its arena exceeds that of the plan"},
};

const Damage kStateCases[] = {
    {"SlotBuffer",
     [](SamplePlan& p) {
       p.manifest.mutable_buckets(0)
           ->mutable_segments(0)
           ->mutable_slots(0)
           ->set_buffer(999);
     },
     "bucket 'block0', segment 'decayed': refers to buffer 999 of"},
    {"SlotTooSmall",
     [](SamplePlan& p) {
       p.manifest.mutable_buckets(0)->mutable_segments(0)->set_elements(17);
     },
     "slot 'master': 17 elements do not fit into its buffer"},
    {"SlotBlock",
     [](SamplePlan& p) {
       p.manifest.mutable_buckets(0)
           ->mutable_segments(0)
           ->mutable_slots(0)
           ->set_block(3);
     },
     "slot 'master': expected a block that divides the granule "},
    {"SlotTransient",
     [](SamplePlan& p) {
       p.manifest.mutable_buckets(0)
           ->mutable_segments(0)
           ->mutable_slots(0)
           ->set_buffer(p.BufferIndex("residual"));
     },
     "slot 'master' is not one persistent buffer"},
    {"ParameterOutsideSegment",
     [](SamplePlan& p) {
       p.manifest.mutable_parameters(0)->set_element_offset(14);
     },
     "parameter 'linear.weight': it does not lie in its segment of 16 "
     "elements: offset 14"},
    {"ParameterBucket",
     [](SamplePlan& p) { p.manifest.mutable_parameters(0)->set_bucket(3); },
     "parameter 'linear.weight': refers to bucket 3 of 1"},
    {"ScalarType",
     [](SamplePlan& p) { p.Buffer("lr").set_dtype(planpb::ELEMENT_F32); },
     "hyperparameter 'lr': expected buffer 'lr' to be one persistent f64"},
    {"MetricTwice",
     [](SamplePlan& p) { p.manifest.mutable_metrics(1)->set_name("loss"); },
     "metric 'loss': the name is taken"},
    {"NoTokens",
     [](SamplePlan& p) { p.manifest.mutable_metrics(1)->set_name("words"); },
     "expected a metric 'tokens', got none"},
    {"NoMicrobatch", [](SamplePlan& p) { p.manifest.set_microbatch(0); },
     "expected batches of at least one sample"},
    {"ManyLeastSamples",
     [](SamplePlan& p) {
       p.manifest.mutable_objective()->set_least_samples(uint64_t{1} << 40);
     },
     "expected statistics of at most 2^32 samples, got at least 1099511627776"},
    {"IterationsType",
     [](SamplePlan& p) {
       p.manifest.mutable_signature(2)->set_name("iterations_behind");
     },
     "field 'iterations_behind': expected dtype f32 and rank 0"},
    {"FieldBatch",
     [](SamplePlan& p) { p.manifest.mutable_signature(0)->set_shape(0, 3); },
     "field 'x': expected the microbatch of 2 as its first dimension"},
    {"FieldRanges",
     [](SamplePlan& p) { p.manifest.mutable_signature(0)->add_ranges(); },
     "field 'x': expected a range of integers for each index of axis 0, got 1 "
     "ranges"},
    {"UnknownBuiltin",
     [](SamplePlan& p) { p.manifest.mutable_signature(2)->set_name("mood"); },
     "field 'mood': the runtime has no built-in field of that name"},
    {"BuiltinType",
     [](SamplePlan& p) {
       p.manifest.mutable_signature(2)->set_dtype(planpb::ELEMENT_F64);
     },
     "field 'sample_weights': expected dtype f32 and rank 1"},
};

// Says that the ranks of one stage of a pipeline run `function`.
void PutAt(uint64_t stage, planpb::Function& function) {
  planpb::AxisCoordinate* at = function.add_coordinates();
  at->set_axis(planpb::AXIS_PIPELINE);
  at->set_coordinate(stage);
}

const Damage kProgramCases[] = {
    {"KernelOutsideCode",
     [](SamplePlan& p) {
       p.manifest.mutable_kernels(5)->mutable_entries(0)->set_size(17);
     },
     "kernel 'predict': bytes [80, +17) do not lie in section 'code.x86-64' of "
     "96 bytes"},
    {"KernelWithoutEntry",
     [](SamplePlan& p) { p.manifest.mutable_kernels(0)->clear_entries(); },
     "kernel 'residual': expected an entry for each of 1 variants, got 0"},
    {"KernelTwice",
     [](SamplePlan& p) {
       p.manifest.mutable_kernels(1)->set_key("key-residual");
     },
     "kernel 'scale': key 'key-residual' comes twice"},
    {"VariantSection",
     [](SamplePlan& p) { p.manifest.mutable_variants(0)->set_section(99); },
     "code variant 'x86-64': refers to section 99 of 8"},
    {"ExportParameter",
     [](SamplePlan& p) {
       p.manifest.mutable_export_()->mutable_tensors(1)->set_parameter(5);
     },
     "export tensor 1: refers to parameter 5 of 2"},
    {"ExportTranspose",
     [](SamplePlan& p) {
       p.manifest.mutable_export_()->mutable_tensors(1)->set_rows(3);
     },
     "the transpose of 3 x 4 has not 8 elements"},
    {"NoStep",
     [](SamplePlan& p) {
       p.step_function().set_role(planpb::FUNCTION_EVALUATE);
     },
     "there is no function to step"},
    {"TwoSteps",
     [](SamplePlan& p) {
       *p.manifest.add_functions() = p.step_function();
       p.manifest.mutable_functions(2)->set_name("again");
       p.functions.push_back(p.functions[1]);
     },
     "two functions step on the same ranks, 'again' is the second"},
    {"StepOfSomeRanks",
     [](SamplePlan& p) {
       p.manifest.mutable_mesh()->mutable_axes(3)->set_degree(2);
       PutAt(0, p.step_function());
     },
     "there is no function to step on 1 of 2 places of the mesh"},
    {"CoordinateOfSamples",
     [](SamplePlan& p) {
       PutAt(0, p.step_function());
       p.step_function().mutable_coordinates(0)->set_axis(planpb::AXIS_FSDP);
     },
     "function 'step': expected coordinates along different axes on which "
     "ranks have the same samples, got 'fsdp'"},
    {"CoordinateTwice",
     [](SamplePlan& p) {
       PutAt(0, p.step_function());
       PutAt(0, p.step_function());
     },
     "ranks have the same samples, got 'pipeline'"},
    {"CoordinateBeyondTheMesh",
     [](SamplePlan& p) { PutAt(1, p.step_function()); },
     "function 'step': expected a coordinate below 1 along 'pipeline', got 1"},
    {"NoRole",
     [](SamplePlan& p) {
       p.step_function().set_role(planpb::FUNCTION_UNSPECIFIED);
     },
     "function 'step' is of unknown role 0"},
};

const Damage kInstructionCases[] = {
    {"UnknownKind", [](SamplePlan& p) { p.Step("update").clear_body(); },
     "instruction 11 (unknown 'update'): it is of a kind that this release "
     "does not know"},
    {"WrongId", [](SamplePlan& p) { p.Step("update").set_id(3); },
     "instruction 11: expected id 11, got 3"},
    {"Stream", [](SamplePlan& p) { p.Step("update").set_stream(2); },
     "refers to stream 2 of 2"},
    {"Buffer",
     [](SamplePlan& p) {
       p.Step("update").mutable_accesses(0)->set_buffer(99);
     },
     "instruction 11 (launch 'update'): refers to buffer 99 of"},
    {"AccessRange",
     [](SamplePlan& p) {
       p.Step("update").mutable_accesses(0)->set_offset(60);
       p.Step("update").mutable_accesses(0)->set_bytes(8);
     },
     "buffer 'gradient': bytes [60, +8) do not lie in its 64"},
    {"AccessOverflow",
     [](SamplePlan& p) {
       p.Step("update").mutable_accesses(0)->set_offset(UINT64_MAX);
       p.Step("update").mutable_accesses(0)->set_bytes(8);
     },
     "do not lie in its 64"},
    {"AccessMode",
     [](SamplePlan& p) {
       p.Step("update").mutable_accesses(0)->set_mode(
           planpb::Access::MODE_UNSPECIFIED);
     },
     "buffer 'gradient': unknown mode 0"},
    {"Infinities",
     [](SamplePlan& p) {
       p.Step("predict").mutable_accesses(0)->set_infinities(
           static_cast<planpb::Access::Infinities>(4));
     },
     "unknown infinities 4"},
    {"InfinitiesOfWhatIsRead",
     [](SamplePlan& p) {
       planpb::Access& read = *p.Step("predict").mutable_accesses(0);
       read.set_mode(planpb::Access::MODE_READ);
       read.set_infinities(planpb::Access::INFINITIES_NEGATIVE);
     },
     "expected infinities of what is written, got them of what is read"},
    {"NonFinitePolicy",
     [](SamplePlan& p) {
       p.manifest.set_on_nonfinite(static_cast<planpb::NonFinitePolicy>(3));
     },
     "unknown on_nonfinite 3"},
    {"Rotation",
     [](SamplePlan& p) {
       p.Step("fetch next").mutable_accesses(0)->set_rotate(2);
     },
     "buffer 'x': rotates by 2 of 2 copies"},
    {"ConstantWritten",
     [](SamplePlan& p) {
       p.Step("scale").mutable_accesses(1)->set_buffer(
           p.BufferIndex("constant"));
     },
     "buffer 'constant' is constant and is written"},
    {"Kernel",
     [](SamplePlan& p) { p.Step("update").mutable_launch()->set_kernel(9); },
     "refers to kernel 9 of 6"},
    {"Arity",
     [](SamplePlan& p) { p.Step("update").mutable_launch()->add_arguments(0); },
     "kernel 'update': expected 4 arguments, got 5"},
    {"Argument",
     [](SamplePlan& p) {
       p.Step("update").mutable_launch()->set_arguments(0, 77);
     },
     "argument: refers to access 77 of 4"},
    {"PartOfNothing",
     [](SamplePlan& p) { p.Step("update").mutable_launch()->mutable_part(); },
     "a shard has granule 0, expected at least 1"},
    {"MetricNeverReported",
     [](SamplePlan& p) { p.Step("metric lr").mutable_metric()->set_metric(0); },
     "function to step: no instruction reports metric 'lr'"},
    {"FetchSize",
     [](SamplePlan& p) {
       p.Step("fetch first").mutable_accesses(0)->set_bytes(8);
     },
     "field 'x': expected an access of 24 bytes, got 8"},
    {"FetchAheadOutside",
     [](SamplePlan& p) { p.Step("fetch first").mutable_fetch()->set_ahead(1); },
     "a fetch 1 ahead: expected 0, or 1 in a repeat"},
    {"RepeatTooFar",
     [](SamplePlan& p) {
       p.Step("microbatches").mutable_repeat()->set_last(99);
     },
     "instruction 4: a repeat up to 99 of 17 instructions"},
    {"RepeatNested",
     [](SamplePlan& p) { p.Step("predict").mutable_repeat()->set_last(8); },
     "instruction 6: repeats do not nest"},
    {"EventTwice",
     [](SamplePlan& p) {
       p.Step("update").add_signals(0);
       p.step_function().set_events(5);
     },
     "instruction 11: signals event 0, as instruction 3 does"},
    {"EventUnsignalled", [](SamplePlan& p) { p.step_function().set_events(5); },
     "expected one signal for each of 5 events, got 4"},
    {"WaitUnknown",
     [](SamplePlan& p) { p.Step("update").add_waits()->set_event(44); },
     "instruction 11: waits for event 44 of 4"},
    {"WaitForever",
     [](SamplePlan& p) {
       p.Step("fetch next").mutable_waits(0)->set_distance(0);
     },
     "waits for event 1, which instruction 9 signals later: the wait would "
     "never end"},
    {"WaitAcross",
     [](SamplePlan& p) { p.Step("predict").mutable_waits(0)->set_distance(1); },
     "waits for event 0 at distance 1 of an instruction in another repeat"},
    {"MetricIndex",
     [](SamplePlan& p) {
       p.Step("metric lr").mutable_metric()->set_metric(50);
     },
     "refers to metric 50 of 5"},
    {"LoadBeyondSection",
     [](SamplePlan& p) {
       p.functions[0][1].mutable_load()->mutable_pieces(0)->set_source_offset(
           13);
     },
     "piece 0: bytes [13, +32) do not lie in section 'weights' of 44 bytes"},
    {"LoadWithoutSource",
     [](SamplePlan& p) {
       p.functions[0][1]
           .mutable_load()
           ->mutable_pieces(0)
           ->clear_section_plus_one();
     },
     "piece 0: expected one source, a section or a file"},
    {"LoadTooMuch",
     [](SamplePlan& p) {
       p.functions[0][1].mutable_load()->mutable_pieces(0)->set_element_offset(
           1);
     },
     "destination: expected an access of 36 bytes, got 32"},
};

INSTANTIATE_TEST_SUITE_P(Memory, RefusedPlanTest,
                         ::testing::ValuesIn(kMemoryCases), NameOfDamage);
INSTANTIATE_TEST_SUITE_P(State, RefusedPlanTest,
                         ::testing::ValuesIn(kStateCases), NameOfDamage);
INSTANTIATE_TEST_SUITE_P(Program, RefusedPlanTest,
                         ::testing::ValuesIn(kProgramCases), NameOfDamage);
INSTANTIATE_TEST_SUITE_P(Instructions, RefusedPlanTest,
                         ::testing::ValuesIn(kInstructionCases), NameOfDamage);

TEST(PlanViewTest, TheSampleIsValid) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(MakeSamplePlan()));
  const runtime::FunctionView* step = view.FindFunction(planpb::FUNCTION_STEP);
  EXPECT_EQ(step->RepeatOf(3), std::nullopt);
  EXPECT_EQ(step->RepeatOf(5), 4u);
  EXPECT_EQ(step->SignallerOf(1), 9u);
  EXPECT_EQ(view.Describe(*step, step->instructions()[6]),
            "instruction 6 of 'step' (launch 'predict', stream 'compute')");
}

TEST(PlanViewTest, FindsTheFunctionOfARanksPlace) {
  SamplePlan sample = MakeSamplePlan();
  sample.manifest.mutable_mesh()->mutable_axes(3)->set_degree(2);
  *sample.manifest.add_functions() = sample.step_function();
  sample.manifest.mutable_functions(2)->set_name("second");
  sample.functions.push_back(sample.functions[1]);
  PutAt(0, *sample.manifest.mutable_functions(1));
  PutAt(1, *sample.manifest.mutable_functions(2));
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(sample));
  runtime::RankBinding rank;
  rank.degrees[planpb::AXIS_PIPELINE - 1] = 2;
  EXPECT_EQ(view.FindFunction(planpb::FUNCTION_STEP, rank)->name(), "step");
  rank.coordinates[planpb::AXIS_PIPELINE - 1] = 1;
  EXPECT_EQ(view.FindFunction(planpb::FUNCTION_STEP, rank)->name(), "second");
  EXPECT_EQ(view.FindFunction(planpb::FUNCTION_INITIALIZE, rank)->name(),
            "init");
}

TEST(PlanViewTest, WalkUnrollsRepeats) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(MakeSamplePlan()));
  std::vector<std::string> seen;
  ASSERT_OK(view.FindFunction(planpb::FUNCTION_STEP)
                ->Walk(2, [&](const runtime::Instance& instance) {
                  seen.push_back(absl::StrCat(instance.instruction->id(), ".",
                                              instance.iteration));
                  return absl::OkStatus();
                }));
  EXPECT_THAT(seen, ::testing::ElementsAre(
                        "0.0", "1.0", "2.0", "3.0", "5.0", "6.0", "7.0", "8.0",
                        "9.0", "5.1", "6.1", "7.1", "8.1", "9.1", "10.0",
                        "11.0", "12.0", "13.0", "14.0", "15.0", "16.0"));
}

TEST(PlanViewTest, CountsThatWaitsWaitFor) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(MakeSamplePlan()));
  const runtime::FunctionView& step = *view.FindFunction(planpb::FUNCTION_STEP);
  const auto count = [&](uint32_t id, int wait, uint64_t iteration) {
    return step.RequiredCount(step.instructions()[id].waits(wait), id,
                              iteration, 7);
  };
  EXPECT_EQ(count(6, 0, 3), 1u);  // signalled before the repeat
  EXPECT_EQ(count(6, 1, 0), 0u);  // distance 1 in the first iteration
  EXPECT_EQ(count(6, 1, 3), 3u);
  EXPECT_EQ(count(12, 0, 0), 1u);
}

// Damaged messages with a good hash: whatever they say, an error or a valid
// view.
TEST(PlanViewTest, RandomDamageNeverCrashes) {
  const google::protobuf::LogSilencer quiet;  // about bytes that are no UTF-8
  const SamplePlan good = MakeSamplePlan();
  const std::string manifest =
      runtime::SerializeDeterministically(good.manifest);
  std::vector<std::string> instructions;
  for (const planpb::Instruction& instruction : good.functions[1]) {
    instructions.push_back(runtime::SerializeDeterministically(instruction));
  }
  int accepted = 0;
  for (uint64_t round = 0; round < 2000; ++round) {
    const uint32_t word = runtime::RandomWord(1, 2, round, 0);
    const uint32_t change = runtime::RandomWord(1, 2, round, 1);
    SamplePlan plan = good;
    if (round % 2 == 0) {
      std::string bytes = manifest;
      bytes[word % bytes.size()] = static_cast<char>(change);
      if (!plan.manifest.ParseFromString(bytes)) {
        continue;
      }
    } else {
      const size_t id = word % instructions.size();
      std::string bytes = instructions[id];
      bytes[(word >> 8) % bytes.size()] = static_cast<char>(change);
      if (!plan.functions[1][id].ParseFromString(bytes)) {
        continue;
      }
    }
    accepted += ViewOf(plan).ok() ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);  // changed names, for instance
}

}  // namespace
}  // namespace accel::testing
