// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches against what their kernels touch, on the rank that loads the plan.
// Every launch of real plans is damaged by launch_damage.cc.
#include "runtime/plan/verify/verify_launches.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/sizes/size_expr.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Access;
using runtime::MemoryLayout;
using runtime::RankBinding;

absl::Status Verify(const SamplePlan& plan,
                    const RankBinding& binding = RankBinding()) {
  const auto view = ViewOf(plan);
  if (!view.ok()) {
    return view.status();
  }
  const auto layout = MemoryLayout::Create(*view, binding);
  return layout.ok() ? runtime::VerifyLaunches(*view, *layout)
                     : layout.status();
}

TEST(VerifyLaunchesTest, TheSampleFits) { EXPECT_OK(Verify(MakeSamplePlan())); }

struct Fault {
  const char* name;
  void (*apply)(SamplePlan&);
  const char* message;
};

class LaunchFaultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(LaunchFaultTest, IsRefusedWithWhatWasExpected) {
  SamplePlan plan = MakeSamplePlan();
  GetParam().apply(plan);
  const absl::Status status = Verify(plan);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(), GetParam().message);
}

planpb::Launch& Update(SamplePlan& p) {
  return *p.Step("update").mutable_launch();
}

planpb::KernelOperand& Operand(SamplePlan& p, int kernel, int operand) {
  return *p.manifest.mutable_kernels(kernel)->mutable_operands(operand);
}

planpb::KernelEntry& Entry(SamplePlan& p, int kernel) {
  return *p.manifest.mutable_kernels(kernel)->mutable_entries(0);
}

#define UPDATE "instruction 11 of 'step' (launch 'update', stream 'compute'): "

INSTANTIATE_TEST_SUITE_P(
    All, LaunchFaultTest,
    ::testing::Values(
        Fault{"PartOfTiles",
              [](SamplePlan& p) {
                planpb::Shard* shard = Update(p).mutable_part();
                shard->set_elements(3);
                shard->set_granule(1);
                shard->add_axes(planpb::AXIS_FSDP);
              },
              UPDATE "operand 3 (buffer 'w'): expected a rank's part, as its "
                     "kernel runs over one and writes it, got all of it"},
        Fault{"PartOfOtherTiles",
              [](SamplePlan& p) {
                planpb::Shard* shard = Update(p).mutable_part();
                shard->set_elements(4);
                shard->set_granule(1);
                shard->add_axes(planpb::AXIS_FSDP);
              },
              UPDATE "expected a rank's part of 3 tiles of its kernel, in "
                     "granules of whole tiles, got 4 elements in granules of "
                     "1, 1 per tile, over fsdp"},
        Fault{"ShortRange",
              [](SamplePlan& p) {
                p.Step("update").mutable_accesses(3)->set_bytes(60);
              },
              UPDATE "operand 3 (buffer 'w'): expected an access of 64 bytes, "
                     "which its kernel touches, got 60"},
        Fault{"OtherMode",
              [](SamplePlan& p) {
                p.Step("update").mutable_accesses(3)->set_mode(
                    Access::MODE_READ);
              },
              UPDATE "operand 3 (buffer 'w'): the code reads and writes it, "
                     "but the launch reads it"},
        Fault{"MemoryPerThread",
              [](SamplePlan& p) {
                p.Step("update").mutable_accesses(3)->set_bytes(64);
                p.Step("update").mutable_accesses(3)->set_thread_stride(64);
              },
              UPDATE "operand 3 (buffer 'w'): expected 0 bytes from a thread's "
                     "memory to the next one's, got 64"},
        Fault{"NoMemoryPerThread",
              [](SamplePlan& p) { Operand(p, 4, 3).set_per_thread(true); },
              UPDATE "operand 3 (buffer 'w'): expected at least 64 bytes from "
                     "a thread's memory to the next one's, got 0"},
        Fault{"LargerKernel",
              [](SamplePlan& p) { Operand(p, 4, 0).set_bytes(65); },
              UPDATE "operand 0 (buffer 'gradient'): expected an access of 65 "
                     "bytes, which its kernel touches, got 64"},
        Fault{"NoTiles", [](SamplePlan& p) { Entry(p, 4).clear_tiles(); },
              "kernel 'update': x86-64: expected tiles, at least 1 and at most "
              "9223372036854775807, got 0"},
        Fault{"Grain", [](SamplePlan& p) { Entry(p, 4).set_grain(2); },
              "kernel 'update': x86-64: expected a grain of 0 or of all 3 "
              "tiles, got 2"},
        Fault{"NoTileBytes",
              [](SamplePlan& p) { Entry(p, 4).clear_tile_bytes(); },
              "kernel 'update': x86-64: expected what a tile touches of each "
              "of 4 operands, got 0"},
        Fault{"NoOperands",
              [](SamplePlan& p) {
                p.manifest.mutable_kernels(4)->clear_operands();
              },
              "kernel 'update': expected a description of each of 4 "
              "arguments, got 0"},
        Fault{"NoMode", [](SamplePlan& p) { Operand(p, 4, 1).clear_mode(); },
              "kernel 'update': operand 1: unknown mode 0"},
        Fault{"NoBytes", [](SamplePlan& p) { Operand(p, 4, 1).clear_bytes(); },
              "kernel 'update': operand 1: expected bytes, got 0"},
        Fault{"UnitsThatDoNotReachTheEnd",
              [](SamplePlan& p) { Entry(p, 4).set_tile_bytes(3, 21); },
              "kernel 'update': x86-64: operand 3: expected 64 bytes in 3 "
              "tiles, got "
              "21 for each"},
        Fault{"UnitsOfAThread",
              [](SamplePlan& p) {
                Entry(p, 4).set_tile_bytes(3, 64);
                Operand(p, 4, 3).set_per_thread(true);
              },
              "kernel 'update': x86-64: operand 3: expected 64 per thread "
              "bytes in 3 "
              "tiles, got 64 for each"}),
    [](const auto& info) { return std::string(info.param.name); });

// A kernel over what each rank owns of `master`: 256 elements in tiles of 128
// would be one granule, so ranks own whole tiles.
constexpr uint64_t kElements = 512;
constexpr uint64_t kUnit = 4;  // elements; divides the granule

SamplePlan MakePartLaunch() {
  SamplePlan plan = MakeShardedPlan(kElements);
  planpb::Kernel* kernel = plan.manifest.add_kernels();
  *kernel = plan.manifest.kernels(1);
  kernel->set_key("key-part");
  kernel->set_name("part");
  kernel->mutable_entries(0)->set_tiles(kElements / kUnit);
  for (int i = 0; i < kernel->operands_size(); ++i) {
    kernel->mutable_operands(i)->set_bytes(kElements * sizeof(float));
    kernel->mutable_entries(0)->set_tile_bytes(i, kUnit * sizeof(float));
  }
  planpb::Instruction& launch = plan.step().emplace_back();
  launch.set_id(static_cast<uint32_t>(plan.step().size() - 1));
  launch.set_name("part");
  launch.set_stream(kCompute);
  *launch.add_accesses() =
      PartAccess(plan, "replicated", Access::MODE_READ, kElements);
  planpb::Access* master = launch.add_accesses();
  master->set_buffer(plan.BufferIndex("master"));
  master->set_mode(Access::MODE_WRITE);
  launch.mutable_launch()->set_kernel(plan.manifest.kernels_size() - 1);
  launch.mutable_launch()->add_arguments(0);
  launch.mutable_launch()->add_arguments(1);
  *launch.mutable_launch()->mutable_part() = TestShard(kElements);
  return plan;
}

std::string PartMessage(SamplePlan plan, const RankBinding& binding) {
  return std::string(Verify(plan, binding).message());
}

TEST(VerifyLaunchesTest, ALaunchOverARanksPartFitsOnEveryRank) {
  for (const uint64_t ranks : {1, 2, 3, 5, 7}) {
    for (uint64_t rank = 0; rank < ranks; ++rank) {
      EXPECT_OK(Verify(MakePartLaunch(), FsdpBinding(rank, ranks)))
          << rank << " of " << ranks;
    }
  }
}

TEST(VerifyLaunchesTest, APartThatIsCutOtherwiseIsRefused) {
  SamplePlan plan = MakePartLaunch();
  plan.Step("part").mutable_accesses(0)->mutable_shard()->set_granule(
      2 * kShardGranule);
  EXPECT_EQ(
      PartMessage(plan, FsdpBinding(0, 2)),
      absl::StrCat(
          "instruction ", plan.step().size() - 1,
          " of 'step' (launch 'part', stream 'compute'): operand 0 (buffer "
          "'replicated'): expected it cut between tiles as the launch is "
          "(512 elements in granules of ",
          kShardGranule,
          ", 4 per tile, over fsdp), got 512 elements in "
          "granules of ",
          2 * kShardGranule, ", 4 per tile, over fsdp"));
}

// What a kernel may touch anywhere must be there as a whole.
TEST(VerifyLaunchesTest, APartOfWhatAnyTileTouchesIsRefused) {
  SamplePlan plan = MakePartLaunch();
  plan.manifest
      .mutable_kernels(static_cast<int>(plan.Step("part").launch().kernel()))
      ->mutable_entries(0)
      ->set_tile_bytes(0, 0);
  EXPECT_THAT(PartMessage(plan, RankBinding()),
              ::testing::HasSubstr("operand 0 (buffer 'replicated'): expected "
                                   "it cut between tiles"));
}

// On one rank its part is all there is, but on two it would be half.
TEST(VerifyLaunchesTest, AllUnitsOverARanksPartAreRefusedOnOneRankToo) {
  SamplePlan plan = MakePartLaunch();
  plan.Step("part").mutable_launch()->clear_part();
  EXPECT_THAT(PartMessage(plan, RankBinding()),
              ::testing::HasSubstr("operand 0 (buffer 'replicated'): expected "
                                   "all of it, as the launch runs all tiles, "
                                   "got a rank's part"));
}

// A buffer for parts that is smaller than they are.
TEST(VerifyLaunchesTest, ABufferThatIsTooSmallForAPartIsRefused) {
  SamplePlan plan = MakePartLaunch();
  plan.Step("part").mutable_accesses(1)->set_bytes(64);
  EXPECT_THAT(PartMessage(plan, FsdpBinding(0, 2)),
              ::testing::HasSubstr("operand 1 (buffer 'master'): expected an "
                                   "access of 1024 bytes, which its kernel "
                                   "touches, got 64"));
}

}  // namespace
}  // namespace accel::testing
