// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that nothing orders are found, whatever the schedule, and those that
// a barrier orders are not.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::HasSubstr;

// Every kernel has its thread's number in %r0 and its block's in %r1.
std::string Text(const std::string& body) {
  return KernelText(absl::StrCat(
      ".shared .align 4 .b8 s[4096]; mov.u32 %r0, %tid.x; mov.u32 %r1, "
      "%ctaid.x; mov.b64 %d0, s; mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, "
      "%d1; xor.b32 %r2, %r0, 1; mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d0, "
      "%d3; add.u64 %d4, %rd0, %d1; setp.eq.u32 %p0, %r0, 0;\n",
      body));
}

absl::Status RunAll(const std::string& body, uint32_t threads,
                    uint32_t blocks = 1) {
  absl::Status status;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    std::vector<uint32_t> memory(2048);
    Run1 run;
    run.block.x = threads;
    run.grid.x = blocks;
    run.options.seed = seed;
    const absl::Status one = RunKernel(Text(body), memory, {0}, run);
    if (seed > 0) {
      EXPECT_EQ(one.ok(), status.ok()) << one << "\n" << status;
    }
    status = one;
  }
  return status;
}

void ExpectRace(const std::string& body, uint32_t threads,
                uint32_t blocks = 1) {
  EXPECT_THAT(
      RunAll(body, threads, blocks),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("data race")))
      << body;
}

TEST(RaceTest, ReadAfterWriteInSharedMemory) {
  const std::string write = "st.shared.b32 [%d2], %r0;";
  const std::string read = "ld.shared.b32 %r3, [%d3];";
  EXPECT_OK(RunAll(write + "bar.sync 0;" + read, 64));
  EXPECT_OK(RunAll(write + "bar.warp.sync -1;" + read, 64));
  EXPECT_OK(RunAll(write + "barrier.sync 3;" + read, 64));
  // Without a barrier the read may be the first, of a byte without a value.
  EXPECT_FALSE(RunAll(write + read, 64).ok());
  // A warp does not run in step, and a shuffle orders no accesses.
  EXPECT_FALSE(
      RunAll(write + "shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1;" + read, 64)
          .ok());
  EXPECT_FALSE(RunAll(write + "membar.cta;" + read, 64).ok());
}

TEST(RaceTest, WriteAfterReadInSharedMemory) {
  const std::string before =
      "st.shared.b32 [%d2], %r0; bar.sync 0; ld.shared.b32 %r3, [%d3];";
  EXPECT_OK(RunAll(before + "bar.sync 0; st.shared.b32 [%d2], 1;", 64));
  ExpectRace(before + "st.shared.b32 [%d2], 1;", 64);
}

TEST(RaceTest, ManyReadersAndOneWriter) {
  const std::string before =
      "@%p0 st.shared.b32 [s], 1; bar.sync 0; ld.shared.b32 %r3, [s];";
  EXPECT_OK(RunAll(before, 256));
  EXPECT_OK(RunAll(before + "bar.sync 0; @%p0 st.shared.b32 [s], 2;", 256));
  ExpectRace(before + "@%p0 st.shared.b32 [s], 2;", 256);
  // The warp's barrier orders the reads of one warp only.
  ExpectRace(before + "bar.warp.sync -1; @%p0 st.shared.b32 [s], 2;", 256);
  EXPECT_OK(
      RunAll(before + "bar.warp.sync -1; @%p0 st.shared.b32 [s], 2;", 32));
}

TEST(RaceTest, TwoWriters) {
  ExpectRace("st.shared.b32 [s], 1;", 2);
  ExpectRace("st.shared.b32 [s], 1;", 64);
  EXPECT_OK(RunAll("@%p0 st.shared.b32 [s], 1;", 64));
  // Neighbouring bytes are no race, overlapping ones are.
  EXPECT_OK(
      RunAll("mov.u32 %r5, s; add.u32 %r5, %r5, %r0; st.shared.b8 "
             "[%r5], %r0;",
             64));
  ExpectRace(
      "mov.u32 %r5, s; shr.u32 %r6, %r0, 1; add.u32 %r5, %r5, %r6; "
      "st.shared.b8 [%r5], %r0;",
      64);
}

TEST(RaceTest, BlocksAreNeverOrdered) {
  EXPECT_OK(
      RunAll("@%p0 st.global.b32 [%rd0], 1; bar.sync 0; ld.global.b32 "
             "%r3, [%rd0];",
             64));
  ExpectRace("@%p0 st.global.b32 [%rd0], 1;", 64, 2);
  EXPECT_OK(
      RunAll("mad.lo.u32 %r4, %r1, 64, %r0; mul.wide.u32 %d5, %r4, 4; "
             "add.u64 %d5, %rd0, %d5; st.global.b32 [%d5], 1;",
             64, 4));
  ExpectRace(
      "mad.lo.u32 %r4, %r1, 63, %r0; mul.wide.u32 %d5, %r4, 4; add.u64 "
      "%d5, %rd0, %d5; st.global.b32 [%d5], 1;",
      64, 4);
}

TEST(RaceTest, GlobalMemoryWithinABlock) {
  const std::string write = "st.global.b32 [%d4], %r0;";
  const std::string read =
      "mul.wide.u32 %d5, %r2, 4; add.u64 %d5, %rd0, %d5; ld.global.b32 %r3, "
      "[%d5];";
  EXPECT_OK(RunAll(write + "bar.sync 0;" + read, 64));
  EXPECT_FALSE(RunAll(write + read, 64).ok());
}

TEST(RaceTest, AtomicsDoNotRaceWithEachOther) {
  const std::string init = "@%p0 st.shared.b32 [s], 0; bar.sync 0;";
  const std::string count = "atom.shared.add.u32 %r3, [s], 1;";
  EXPECT_OK(RunAll(init + count, 64));
  EXPECT_OK(RunAll(init + count + "bar.sync 0; ld.shared.b32 %r4, [s];", 64));
  ExpectRace(init + count + "ld.shared.b32 %r4, [s];", 64);
  ExpectRace(init + "@%p0 st.shared.b32 [s], 3;" + count, 64);
  EXPECT_OK(RunAll(init + count + "ld.relaxed.cta.shared.b32 %r4, [s];", 64));
}

TEST(RaceTest, NamedBarriersOrderTheirThreads) {
  // Threads 0 to 63 exchange at barrier 1, the others at barrier 2.
  const std::string exchange =
      "st.shared.b32 [%d2], %r0; setp.lt.u32 %p1, %r0, 64; @%p1 bra LOW;"
      "bar.sync 2, 64; bra.uni DONE; LOW: bar.sync 1, 64; DONE:";
  EXPECT_OK(RunAll(exchange + "ld.shared.b32 %r3, [%d3];", 128));
  // A partner 64 threads away passes another barrier.
  EXPECT_FALSE(RunAll(exchange + "xor.b32 %r4, %r0, 64; mul.wide.u32 %d5, %r4, "
                                 "4; add.u64 %d5, %d0, %d5; ld.shared.b32 %r3, "
                                 "[%d5];",
                      128)
                   .ok());
}

TEST(RaceTest, ProducersArriveAndConsumersWait) {
  // Warp 1 produces and goes on; warp 0 waits and reads.
  const std::string body =
      "setp.ge.u32 %p1, %r0, 32; @%p1 bra MAKE; bar.sync 1, 64;"
      "add.u32 %r4, %r0, 32; mul.wide.u32 %d5, %r4, 4; add.u64 %d5, %d0, %d5;"
      "ld.shared.b32 %r3, [%d5]; ret; MAKE: st.shared.b32 [%d2], %r0;";
  EXPECT_OK(RunAll(body + "bar.arrive 1, 64;", 64));
  EXPECT_FALSE(
      RunAll(body + "bar.arrive 1, 64; st.shared.b32 [%d2], 0;", 64).ok());
}

}  // namespace
}  // namespace accel::ptx
