// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proofs about schedules and memory, by damage: what is removed or moved is
// noticed, and the instructions or buffers are named.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/verify/verify_memory.h"
#include "runtime/plan/verify/verify_schedule.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::MemoryLayout;
using runtime::RankBinding;
using ::testing::AllOf;
using ::testing::HasSubstr;

absl::Status Schedule(const SamplePlan& plan) {
  const auto view = ViewOf(plan);
  EXPECT_OK(view);
  const auto layout = MemoryLayout::Create(*view, RankBinding());
  EXPECT_OK(layout);
  return runtime::VerifySchedule(*view, *layout);
}

absl::Status Memory(const SamplePlan& plan) {
  const auto view = ViewOf(plan);
  EXPECT_OK(view);
  const auto layout = MemoryLayout::Create(*view, RankBinding());
  EXPECT_OK(layout);
  return runtime::VerifyMemory(*view, *layout);
}

TEST(VerifyScheduleTest, TheSampleIsOrdered) {
  EXPECT_OK(Schedule(MakeSamplePlan()));
}

// Each wait of the plan is needed; without it two instructions race.
TEST(VerifyScheduleTest, EveryRemovedWaitIsNoticed) {
  const SamplePlan good = MakeSamplePlan();
  int waits = 0;
  for (size_t id = 0; id < good.functions[1].size(); ++id) {
    for (int i = 0; i < good.functions[1][id].waits_size(); ++i, ++waits) {
      SamplePlan plan = good;
      plan.step()[id].mutable_waits()->DeleteSubrange(i, 1);
      EXPECT_THAT(Schedule(plan),
                  StatusIs(absl::StatusCode::kFailedPrecondition,
                           AllOf(HasSubstr("nothing orders"),
                                 HasSubstr("an event between them is "
                                           "missing"))))
          << plan.step()[id].name() << ", wait " << i;
    }
  }
  EXPECT_EQ(waits, 4);
}

TEST(VerifyScheduleTest, TheMessageNamesInstructionsBuffersAndStreams) {
  SamplePlan plan = MakeSamplePlan();
  plan.Step("predict").mutable_waits()->DeleteSubrange(0, 1);
  EXPECT_THAT(
      Schedule(plan),
      StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "nothing orders instruction 3 of 'step' (fetch 'fetch first', "
          "stream 'communication') before instruction 6 of 'step' (launch "
          "'predict', stream 'compute'), though both touch buffer 'x' (stream "
          "'communication' and stream 'compute'): an event between them is "
          "missing"));
}

// Reuse of a copy one iteration too early is seen in the steady state only.
TEST(VerifyScheduleTest, ADistanceThatIsTooLongIsNoticed) {
  SamplePlan plan = MakeSamplePlan();
  plan.Step("fetch next").mutable_waits(0)->set_distance(2);
  EXPECT_THAT(Schedule(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("(launch 'gradient', stream 'compute') "
                                       "before instruction 5 of 'step' (fetch "
                                       "'fetch next'"),
                             HasSubstr("buffer 'x'"))));
}

// With three copies the writer may run ahead by one iteration more.
TEST(VerifyScheduleTest, MoreCopiesAllowLongerDistances) {
  SamplePlan plan = MakeSamplePlan();
  for (const char* name : {"x", "t", "sample_weights", "sample_indices"}) {
    plan.Buffer(name).set_copies(3);
  }
  plan.Step("fetch next").mutable_waits(0)->set_distance(2);
  EXPECT_OK(Schedule(plan));
  plan.Step("fetch next").mutable_waits(0)->set_distance(3);
  EXPECT_FALSE(Schedule(plan).ok());
}

TEST(VerifyScheduleTest, BuffersThatShareBytesAreOrderedToo) {
  SamplePlan plan = MakeSamplePlan();
  // A transient buffer that the communication stream writes over 'scaled'.
  planpb::Buffer* staging = plan.manifest.add_buffers();
  *staging = plan.Buffer("scaled");
  staging->set_name("staging");
  planpb::Instruction& metric = plan.Step("metric loss");
  metric.clear_metric();
  // Another instruction hands the loss out.
  plan.manifest.mutable_metrics()->RemoveLast();
  plan.Step("metric grad_norm").mutable_metric()->set_metric(0);
  metric.mutable_fill();
  metric.mutable_accesses(0)->set_buffer(plan.BufferIndex("staging"));
  metric.mutable_accesses(0)->set_mode(planpb::Access::MODE_WRITE);
  EXPECT_OK(Schedule(plan));
  metric.clear_waits();
  EXPECT_THAT(Schedule(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("instruction 8 of 'step' (launch "
                                       "'scale'"),
                             HasSubstr("instruction 12 of 'step' (fill 'metric "
                                       "loss'"),
                             HasSubstr("buffer 'scaled' and buffer 'staging', "
                                       "which share bytes"))));
}

TEST(VerifyMemoryTest, TheSampleIsSound) {
  EXPECT_OK(Memory(MakeSamplePlan()));
}

// 'scaled' may lie on 'prediction', which is dead by then, and nowhere else.
TEST(VerifyMemoryTest, MovedOffsetsThatMatterAreNoticed) {
  SamplePlan plan = MakeSamplePlan();
  plan.Buffer("residual").set_offset(0);
  EXPECT_THAT(
      Memory(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "instruction 7 of 'step' (launch 'residual', stream 'compute') "
               "uses buffer 'prediction' and buffer 'residual', one of them to "
               "write, but they share bytes"));
  plan = MakeSamplePlan();
  plan.Buffer("scaled").set_offset(128);
  EXPECT_OK(Memory(plan));
  plan.Buffer("prediction").set_offset(128);
  EXPECT_OK(Memory(plan));
  plan.Buffer("prediction").set_offset(64);
  EXPECT_FALSE(Memory(plan).ok());
}

TEST(VerifyMemoryTest, AReadOfWhatAnotherBufferTookIsNoticed) {
  SamplePlan plan = MakeSamplePlan();
  // A buffer written before the microbatches and read after them, on bytes that
  // every microbatch uses.
  planpb::Buffer* kept = plan.manifest.add_buffers();
  *kept = plan.Buffer("residual");
  kept->set_name("kept");
  plan.Step("fill loss_sum")
      .add_accesses()
      ->set_buffer(plan.BufferIndex("kept"));
  plan.Step("fill loss_sum")
      .mutable_accesses(1)
      ->set_mode(planpb::Access::MODE_WRITE);
  plan.Step("update").add_accesses()->set_buffer(plan.BufferIndex("kept"));
  plan.Step("update").mutable_accesses(4)->set_mode(planpb::Access::MODE_READ);
  EXPECT_THAT(
      Memory(plan),
      StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "instruction 11 of 'step' (launch 'update', stream 'compute') "
          "reads buffer 'kept', but instruction 7 of 'step' (launch "
          "'residual', stream 'compute') has written buffer 'residual' over "
          "it"));
  plan.Buffer("kept").set_offset(192);
  EXPECT_OK(Memory(plan));
}

TEST(VerifyMemoryTest, AReadBeforeAnyWriteIsNoticed) {
  SamplePlan plan = MakeSamplePlan();
  plan.Step("predict").mutable_accesses(2)->set_buffer(
      plan.BufferIndex("scaled"));
  EXPECT_THAT(Memory(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("reads buffer 'prediction', but")));
  plan.Buffer("prediction").set_offset(128);
  EXPECT_THAT(
      Memory(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "instruction 7 of 'step' (launch 'residual', stream 'compute') "
               "reads buffer 'prediction' before anything has written it"));
}

// A value that one iteration leaves for the next one lives through the repeat.
TEST(VerifyMemoryTest, ValuesCarriedBetweenIterationsAreProtected) {
  SamplePlan plan = MakeSamplePlan();
  planpb::Buffer* carried = plan.manifest.add_buffers();
  *carried = plan.Buffer("residual");
  carried->set_name("carried");
  carried->set_offset(0);  // that of 'prediction' and 'scaled'
  planpb::Access access;
  access.set_buffer(plan.BufferIndex("carried"));
  access.set_mode(planpb::Access::MODE_WRITE);
  *plan.Step("fetch first").add_accesses() = access;
  access.set_mode(planpb::Access::MODE_READ_WRITE);
  *plan.Step("fetch next").add_accesses() = access;
  EXPECT_THAT(
      Memory(plan),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("reads buffer 'carried'"),
                     HasSubstr("has written buffer 'scaled' over it"))));
}

TEST(MemoryLayoutTest, PlacesWhatThePlanLeavesOpen) {
  SamplePlan plan = MakeSamplePlan();
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  ASSERT_OK_AND_ASSIGN(const MemoryLayout layout,
                       MemoryLayout::Create(view, RankBinding()));
  EXPECT_EQ(layout.ArenaBytes(planpb::SPACE_DEVICE), 256u);
  const auto w = layout.RangeOf(plan.BufferIndex("w"), 0);
  EXPECT_EQ(w.begin, 256u);
  EXPECT_EQ(w.end, 320u);
  const auto x = layout.RangeOf(plan.BufferIndex("x"), 1);
  EXPECT_EQ(x.begin - layout.RangeOf(plan.BufferIndex("x"), 0).begin, 64u);
  EXPECT_EQ(layout.PlacedBytes(planpb::CLASS_PARAMETERS), 128u);
  EXPECT_EQ(layout.TotalBytes(), 256u + 64 * (3 + 8 + 8 + 1));
}

TEST(MemoryLayoutTest, ShardsShrinkWithRanksAndAccessesAreCheckedThen) {
  SamplePlan plan = MakeSamplePlan();
  planpb::SizeTerm* term = plan.Buffer("table")
                               .mutable_bytes()
                               ->mutable_alternatives(0)
                               ->mutable_terms(0);
  term->set_factor(32);
  term->mutable_shard()->set_elements(8);
  term->mutable_shard()->set_granule(2);
  term->mutable_shard()->add_axes(planpb::AXIS_FSDP);
  plan.Buffer("table").clear_shape();
  plan.manifest.mutable_buckets(0)
      ->mutable_segments(1)
      ->mutable_slots(0)
      ->add_sharded_over(planpb::AXIS_FSDP);
  plan.manifest.mutable_buckets(0)->set_granule(2);
  RankBinding binding;
  binding.degrees[planpb::AXIS_FSDP - 1] = 4;
  {
    ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
    ASSERT_OK_AND_ASSIGN(const auto layout,
                         MemoryLayout::Create(view, binding));
    EXPECT_EQ(layout.BufferBytes(plan.BufferIndex("table")), 8u);
    binding.degrees[planpb::AXIS_FSDP - 1] = 2000;
    EXPECT_THAT(MemoryLayout::Create(view, binding),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "expected at most 1024 ranks, got 2000; compile with "
                         "--max-ranks=2000"));
    binding.degrees[planpb::AXIS_FSDP - 1] = 4;
    binding.degrees[planpb::AXIS_TENSOR - 1] = 2;
    EXPECT_THAT(MemoryLayout::Create(view, binding),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "mesh axis 'tensor': expected degree 1, got 2"));
    binding.degrees[planpb::AXIS_TENSOR - 1] = 1;
  }
  plan.functions[0][1].mutable_accesses(0)->set_bytes(32);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  EXPECT_THAT(
      MemoryLayout::Create(view, binding),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "instruction 1 of 'init' (load 'load table', stream 'compute'): "
               "buffer 'table': bytes [0, +32) for 1 threads do not lie in its "
               "8"));
}

}  // namespace
}  // namespace accel::testing
