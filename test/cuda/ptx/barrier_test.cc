// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers wait for the threads for which they must wait, and a kernel that
// hangs is an error.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kFault = absl::StatusCode::kFailedPrecondition;
constexpr char kTid[] = "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31;";

absl::Status RunBlock(const std::string& body, uint32_t threads,
                      std::vector<uint32_t>* result = nullptr) {
  absl::Status status;
  for (const uint64_t seed : {0, 9}) {
    std::vector<uint32_t> memory(threads);
    Run1 run;
    run.block.x = threads;
    run.options.seed = seed;
    status = RunKernel(KernelText(absl::StrCat(kTid, body)), memory, {0}, run);
    if (result != nullptr) {
      *result = memory;
    }
    if (!status.ok()) {
      return status;
    }
  }
  return status;
}

TEST(BarrierTest, ExitedThreadsAreNotWaitedFor) {
  EXPECT_OK(RunBlock("setp.ge.u32 %p0, %r0, 40; @%p0 ret; bar.sync 0;", 64));
  EXPECT_OK(
      RunBlock("setp.ge.u32 %p0, %r0, 32; @%p0 bra OUT; bar.sync 0; "
               "bar.sync 0; OUT:",
               64));
}

TEST(BarrierTest, ABranchAroundABarrierHangsWhereThreadsWaitElsewhere) {
  EXPECT_THAT(
      RunBlock("setp.ge.u32 %p0, %r0, 32; @%p0 bra OTHER;\n"
               "bar.sync 0;\nret;\nOTHER:\nbar.sync 1;",
               64),
      StatusIs(kFault, AllOf(HasSubstr("hang"), HasSubstr("32 wait at line"),
                             HasSubstr("'bar.sync 1;'"))));
}

TEST(BarrierTest, AWarpComesToAnAlignedBarrierAtOneInstruction) {
  const std::string halves = "setp.ge.u32 %p0, %r1, 16; @%p0 bra OTHER;\n";
  EXPECT_THAT(RunBlock(halves + "bar.sync 0;\nret;\nOTHER:\nbar.sync 0;", 64),
              StatusIs(kFault, HasSubstr("divergent barrier")));
  EXPECT_OK(
      RunBlock(halves + "barrier.sync 0;\nret;\nOTHER:\nbarrier.sync 0;", 64));
  // Different warps may come from different instructions.
  EXPECT_OK(
      RunBlock("setp.ge.u32 %p0, %r0, 32; @%p0 bra OTHER;\nbar.sync "
               "0;\nret;\nOTHER:\nbar.sync 0;",
               64));
}

TEST(BarrierTest, CountsAreOfWholeWarps) {
  EXPECT_OK(
      RunBlock("setp.ge.u32 %p0, %r0, 64; @%p0 ret; bar.sync 4, 64;", 128));
  EXPECT_THAT(RunBlock("bar.sync 1, 40;", 64),
              StatusIs(kFault, HasSubstr("multiple of 32")));
  EXPECT_THAT(RunBlock("bar.sync 16;", 64),
              StatusIs(kFault, HasSubstr("no barrier 16")));
  EXPECT_THAT(
      RunBlock("setp.ge.u32 %p0, %r0, 32; @%p0 ret; bar.sync 1, 64;", 64),
      StatusIs(kFault, HasSubstr("hang")));
  EXPECT_THAT(RunBlock("setp.ge.u32 %p0, %r1, 16; @%p0 bar.sync 1, 32;", 64),
              StatusIs(kFault, HasSubstr("divergent barrier")));
}

TEST(BarrierTest, Reductions) {
  std::vector<uint32_t> result;
  ASSERT_OK(
      RunBlock("setp.lt.u32 %p0, %r0, 10; bar.red.popc.u32 %r2, 0, %p0;"
               "bar.red.and.pred %p1, 0, %p0;"
               "barrier.red.aligned.or.pred %p2, 0, !%p0;"
               "selp.b32 %r3, 100, 0, %p1; selp.b32 %r4, 200, 0, %p2;"
               "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;"
               "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %rd0;"
               "st.global.b32 [%d0], %r2;",
               64, &result));
  EXPECT_EQ(result, std::vector<uint32_t>(64, 210));
}

TEST(BarrierTest, AnEndlessLoopMeetsTheLimit) {
  std::vector<uint32_t> memory(1);
  Run1 run;
  run.options.instruction_limit = 10'000;
  EXPECT_THAT(RunKernel(KernelText("AGAIN: bra AGAIN;"), memory, {0}, run),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       HasSubstr("more than 10000 instructions")));
}

TEST(BarrierTest, AThreadMayPollWhatAnotherOneWrites) {
  std::vector<uint32_t> memory(1);
  for (const uint64_t seed : {0, 1, 2}) {
    Run1 run;
    run.block.x = 64;
    run.options.seed = seed;
    EXPECT_OK(RunKernel(
        KernelText(".shared .b32 flag; mov.u32 %r0, %tid.x;"
                   "setp.eq.u32 %p0, %r0, 63; setp.eq.u32 %p1, %r0, 0;"
                   "@%p1 st.shared.b32 [flag], 0; bar.sync 0;"
                   "@%p0 atom.shared.exch.b32 %r1, [flag], 1;"
                   "WAIT: atom.shared.or.b32 %r2, [flag], 0;"
                   "setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;"),
        memory, {0}, run));
  }
}

TEST(BarrierTest, StatisticsCount) {
  std::vector<uint32_t> memory(1);
  Statistics statistics;
  Run1 run;
  run.grid.x = 3;
  run.block.x = 64;
  run.options.statistics = &statistics;
  ASSERT_OK(RunKernel(KernelText("bar.sync 0;"), memory, {0}, run));
  EXPECT_EQ(statistics.barriers, 3);
  // Four loads of parameters, the barrier and the return.
  EXPECT_EQ(statistics.instructions, 3 * 64 * 6);
}

}  // namespace
}  // namespace accel::ptx
