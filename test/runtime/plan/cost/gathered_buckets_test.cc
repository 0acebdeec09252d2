// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long gathered buckets are alive: until their last read, in program order
// and in every timing; a bucket that is there twice counts twice.
#include "runtime/plan/cost/gathered_buckets.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Instruction;
using runtime::GatheredPeak;
using runtime::GatheredSegment;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kGatheredElements = 8;
constexpr uint64_t kGatheredBytes = kGatheredElements * sizeof(float);

// The sharded plan, whose own collectives are taken away, with buckets "a",
// "b", "c" of one segment each and two places in shared memory: "left" and
// "right".
class GatheredPlan {
 public:
  GatheredPlan() : plan_(MakeShardedPlan(kGatheredElements)) {
    for (const Instruction& instruction : plan_.step()) {
      if (instruction.has_metric()) {
        metrics_.push_back(instruction);
      }
    }
    plan_.step().clear();
    plan_.step_function().clear_gradients_complete_plus_one();
    planpb::Bucket& model =
        *plan_.manifest.mutable_buckets(plan_.manifest.buckets_size() - 1);
    for (const char* name : {"a", "b", "c"}) {
      planpb::Bucket* bucket = plan_.manifest.add_buckets();
      *bucket = model;
      bucket->set_name(name);
      buckets_.push_back(plan_.manifest.buckets_size());
    }
    // "gathered" has room for both.
    plan_.Buffer("gathered").set_name("left");
    planpb::Buffer right = plan_.Buffer("left");
    right.set_name("right");
    const uint64_t room = right.bytes().alternatives(0).terms(0).factor();
    right.set_offset(right.offset() + (room + 63) / 64 * 64);
    for (planpb::Arena& arena : *plan_.manifest.mutable_arenas()) {
      if (arena.space() == planpb::SPACE_SHARED) {
        arena.set_bytes(right.offset() + room);
      }
    }
    *plan_.manifest.add_buffers() = right;
  }

  Instruction& Gather(int bucket, const std::string& place,
                      uint64_t offset = 0) {
    Instruction& gather = Add(kCommunication, planpb::PHASE_REDUCE);
    AddAccess(gather, "master", Access::MODE_READ, 0);
    AddAccess(gather, place, Access::MODE_WRITE, offset);
    planpb::Collective& collective = *gather.mutable_collective();
    collective.set_kind(planpb::Collective::KIND_ALL_GATHER);
    collective.set_reduction(planpb::Collective::REDUCTION_NONE);
    collective.add_axes(planpb::AXIS_FSDP);
    collective.set_dtype(planpb::ELEMENT_F32);
    *collective.mutable_shard() = TestShard(kGatheredElements);
    collective.set_bucket_plus_one(buckets_[bucket]);
    collective.set_segment_plus_one(1);
    collective.set_input_plus_one(1);
    collective.set_output_plus_one(2);
    collective.set_sequence(sequence_++);
    return gather;
  }

  Instruction& Read(const std::string& place, uint64_t offset = 0) {
    Instruction& read = Add(kCompute, planpb::PHASE_FORWARD);
    AddAccess(read, place, Access::MODE_READ, offset);
    AddAccess(read, "seen", Access::MODE_WRITE, 0);
    read.mutable_copy()->set_destination(1);
    return read;
  }

  // `later` of the other stream waits for `earlier`, `distance` iterations ago.
  void Order(uint32_t earlier, uint32_t later, uint32_t distance = 0) {
    plan_.step()[earlier].add_signals(events_);
    planpb::Wait* wait = plan_.step()[later].add_waits();
    wait->set_event(events_++);
    wait->set_distance(distance);
  }

  void Repeat(uint32_t last) {
    Instruction& repeat = Add(kCompute, planpb::PHASE_FORWARD);
    repeat.mutable_repeat()->set_last(last);
  }

  uint32_t Last() { return static_cast<uint32_t>(plan_.step().size() - 1); }

  // Ends with the metrics, which every plan reports.
  runtime::PlanView View() {
    for (Instruction metric : metrics_) {
      metric.set_id(static_cast<uint32_t>(plan_.step().size()));
      metric.clear_waits();
      plan_.step().push_back(std::move(metric));
    }
    plan_.step_function().set_events(events_);
    auto view = ViewOf(plan_);
    EXPECT_OK(view);
    return *std::move(view);
  }

 private:
  Instruction& Add(uint32_t stream, planpb::Phase phase) {
    Instruction& instruction = plan_.step().emplace_back();
    instruction.set_id(Last());
    instruction.set_name(absl::StrCat("i", Last()));
    instruction.set_stream(stream);
    instruction.set_phase(phase);
    return instruction;
  }
  void AddAccess(Instruction& instruction, const std::string& buffer,
                 Access::Mode mode, uint64_t offset) {
    Access* access = instruction.add_accesses();
    access->set_buffer(plan_.BufferIndex(buffer));
    access->set_mode(mode);
    if (buffer == "left" || buffer == "right") {
      access->set_offset(offset);
      access->set_bytes(kGatheredBytes);
    }
  }

  SamplePlan plan_;
  std::vector<Instruction> metrics_;
  std::vector<int> buckets_;
  uint32_t events_ = 0;
  uint32_t sequence_ = 0;
};

GatheredPeak PeakOf(GatheredPlan& plan) {
  const runtime::PlanView view = plan.View();
  const auto layout =
      runtime::MemoryLayout::Create(view, runtime::RankBinding());
  EXPECT_OK(layout);
  const auto peak = runtime::FindGatheredPeak(
      view, *view.FindFunction(planpb::FUNCTION_STEP), *layout);
  EXPECT_OK(peak);
  return *peak;
}

// gather a, read a, gather b into the other place, read b.
TEST(GatheredBucketsTest, ABucketDiesWithItsLastRead) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Read("left");
  plan.Gather(1, "right");
  plan.Read("right");
  plan.Order(0, 1);
  plan.Order(1, 2);
  plan.Order(2, 3);
  const GatheredPeak peak = PeakOf(plan);
  EXPECT_EQ(peak.in_program_order.size(), 1u);
  EXPECT_EQ(peak.in_any_timing.size(), 1u);
  EXPECT_EQ(peak.largest_bytes, kGatheredBytes);
}

// Without the event between the read of a and the gather of b, the gather may
// come earlier: only the timing differs.
TEST(GatheredBucketsTest, AStreamThatMayRunAheadKeepsMoreAlive) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Read("left");
  plan.Gather(1, "right");
  plan.Read("right");
  plan.Order(0, 1);
  plan.Order(2, 3);
  const GatheredPeak peak = PeakOf(plan);
  EXPECT_EQ(peak.in_program_order.size(), 1u);
  EXPECT_THAT(peak.in_any_timing, ElementsAre("a", "b"));
}

// b is prefetched while a is read, and c takes a's place afterwards.
TEST(GatheredBucketsTest, APrefetchedBucketIsTheSecondOne) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Gather(1, "right");
  plan.Read("left");
  plan.Gather(2, "left");
  plan.Read("right");
  plan.Read("left");
  plan.Order(0, 2);
  plan.Order(2, 3);
  plan.Order(1, 4);
  plan.Order(3, 5);
  const GatheredPeak peak = PeakOf(plan);
  EXPECT_THAT(peak.in_program_order, ElementsAre("a", "b"));
  EXPECT_EQ(peak.in_any_timing.size(), 2u);
}

// Two places may hold three buckets: c overwrites one half of a's place.
TEST(GatheredBucketsTest, BytesCountNotPlaces) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Gather(1, "right");
  plan.Gather(2, "left", 64);
  plan.Read("left");
  plan.Read("right");
  plan.Read("left", 64);
  plan.Order(2, 3);
  EXPECT_THAT(PeakOf(plan).in_program_order, ElementsAre("a", "b", "c"));
}

TEST(GatheredBucketsTest, ABucketThatIsThereTwiceCountsTwice) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Gather(0, "right");
  plan.Read("left");
  plan.Read("right");
  plan.Order(1, 2);
  const GatheredPeak peak = PeakOf(plan);
  EXPECT_THAT(peak.in_program_order, ElementsAre("a", "a"));
  EXPECT_EQ(peak.largest_bytes, kGatheredBytes);
}

// a is read in every microbatch, so in the first one it survives the gather of
// b that follows its read.
TEST(GatheredBucketsTest, RepeatsAreUnrolled) {
  GatheredPlan plan;
  plan.Gather(0, "right");
  plan.Repeat(4);
  plan.Read("right");
  plan.Gather(1, "left");
  plan.Read("left");
  plan.Order(0, 2);
  plan.Order(2, 3);
  plan.Order(3, 4);
  plan.Order(4, 3, 1);
  const GatheredPeak peak = PeakOf(plan);
  EXPECT_THAT(peak.in_program_order, ElementsAre("a", "b"));
  EXPECT_THAT(peak.in_any_timing, ElementsAre("a", "b"));
}

TEST(GatheredBucketsTest, SegmentsKnowWhoReadsThem) {
  GatheredPlan plan;
  plan.Gather(0, "left");
  plan.Read("left");
  plan.Read("left");
  plan.Order(0, 1);
  const runtime::PlanView view = plan.View();
  ASSERT_OK_AND_ASSIGN(const auto layout, runtime::MemoryLayout::Create(
                                              view, runtime::RankBinding()));
  ASSERT_OK_AND_ASSIGN(
      const std::vector<GatheredSegment> segments,
      runtime::FindGatheredSegments(
          view, *view.FindFunction(planpb::FUNCTION_STEP), layout, 1));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].bucket, "a");
  EXPECT_EQ(segments[0].bytes, kGatheredBytes);
  ASSERT_EQ(segments[0].reads.size(), 2u);
  EXPECT_EQ(segments[0].reads[1].instruction->id(), 2u);
  EXPECT_EQ(segments[0].last, 2u);
}

TEST(GatheredBucketsTest, AFunctionThatGathersNothingHasNone) {
  GatheredPlan plan;
  const runtime::PlanView view = plan.View();
  ASSERT_OK_AND_ASSIGN(const auto layout, runtime::MemoryLayout::Create(
                                              view, runtime::RankBinding()));
  ASSERT_OK_AND_ASSIGN(
      const GatheredPeak peak,
      runtime::FindGatheredPeak(
          view, *view.FindFunction(planpb::FUNCTION_INITIALIZE), layout));
  EXPECT_THAT(peak.in_program_order, IsEmpty());
  EXPECT_THAT(peak.in_any_timing, IsEmpty());
}

}  // namespace
}  // namespace accel::testing
