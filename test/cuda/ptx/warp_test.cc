// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes and reductions give what the PTX ISA says, and a mask that
// names a thread which does not come is an error.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kFault = absl::StatusCode::kFailedPrecondition;

// Runs the body in every thread, with its number in %r0, and returns %r9.
std::vector<uint32_t> Results(const std::string& body, uint32_t threads,
                              uint64_t seed, absl::Status* status) {
  std::vector<uint32_t> memory(threads);
  Run1 run;
  run.block.x = threads;
  run.options.seed = seed;
  *status = RunKernel(KernelText(absl::StrCat(
                          "mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid;", body,
                          "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, "
                          "%rd0; st.global.b32 [%d0], %r9;")),
                      memory, {0}, run);
  return memory;
}

std::vector<uint32_t> Results(const std::string& body, uint32_t threads) {
  absl::Status status;
  const std::vector<uint32_t> first = Results(body, threads, 0, &status);
  EXPECT_OK(status) << body;
  EXPECT_EQ(first, Results(body, threads, 4, &status)) << body;
  return first;
}

absl::Status StatusOfBody(const std::string& body, uint32_t threads = 32) {
  absl::Status status;
  Results(body, threads, 0, &status);
  return status;
}

TEST(WarpTest, Shuffles) {
  for (const uint32_t width : {32u, 16u, 4u}) {
    const uint32_t segment = (32 - width) << 8;
    for (const uint32_t b : {0u, 1u, 3u, 17u, 31u}) {
      const auto shuffle = [&](const char* mode, uint32_t clamp) {
        return Results(
            absl::StrCat("add.u32 %r2, %r0, 1000; shfl.sync.", mode,
                         ".b32 %r9|%p0, %r2, ", b, ", ", segment | clamp,
                         ", -1; @%p0 add.u32 %r9, %r9, 50000;"),
            64);
      };
      const auto up = shuffle("up", 0);
      const auto down = shuffle("down", 31);
      const auto bfly = shuffle("bfly", 31);
      const auto idx = shuffle("idx", 31);
      for (uint32_t k = 0; k < 64; ++k) {
        const uint32_t first = k / width * width;
        const auto expected = [&](int64_t from, bool valid) {
          return valid ? static_cast<uint32_t>(from) + 51000 : k + 1000;
        };
        const int64_t own = k;
        ASSERT_EQ(up[k], expected(own - b, own - b >= first));
        ASSERT_EQ(down[k], expected(own + b, own + b < first + width));
        ASSERT_EQ(bfly[k], expected(own ^ b, (own ^ b) < first + width));
        ASSERT_EQ(idx[k], expected(first + b % width, true)) << k;
      }
    }
  }
}

TEST(WarpTest, Votes) {
  const auto vote = [](const std::string& operation) {
    return Results("setp.gt.u32 %p0, %r1, 27;" + operation, 32)[3];
  };
  EXPECT_EQ(vote("vote.sync.ballot.b32 %r9, %p0, -1;"), 0xf0000000);
  EXPECT_EQ(vote("vote.sync.ballot.b32 %r9, !%p0, -1;"), 0x0fffffff);
  EXPECT_EQ(vote("vote.sync.any.pred %p1, %p0, -1; selp.b32 %r9, 1, 0, %p1;"),
            1);
  EXPECT_EQ(vote("vote.sync.all.pred %p1, %p0, -1; selp.b32 %r9, 1, 0, %p1;"),
            0);
  EXPECT_EQ(vote("vote.sync.uni.pred %p1, %p0, -1; selp.b32 %r9, 1, 0, %p1;"),
            0);
}

TEST(WarpTest, Reductions) {
  EXPECT_EQ(Results("redux.sync.add.s32 %r9, %r1, -1;", 32)[7], 496);
  EXPECT_EQ(
      Results("sub.s32 %r2, %r1, 5; redux.sync.min.s32 %r9, %r2, -1;", 32)[7],
      static_cast<uint32_t>(-5));
  EXPECT_EQ(
      Results("sub.s32 %r2, %r1, 5; redux.sync.max.u32 %r9, %r2, -1;", 32)[7],
      0xffffffff);
  EXPECT_EQ(Results("redux.sync.or.b32 %r9, %r1, -1;", 32)[7], 31);
}

TEST(WarpTest, GroupsOfAWarp) {
  // Each half of the warp votes with a mask of its own.
  const auto result = Results(
      "setp.lt.u32 %p0, %r1, 16; selp.b32 %r2, 0xffff, 0xffff0000, %p0;"
      "setp.ne.u32 %p1, %r1, 9; vote.sync.ballot.b32 %r9, %p1, %r2;",
      32);
  EXPECT_EQ(result[0], 0xfdff);
  EXPECT_EQ(result[20], 0xffff0000);
}

TEST(WarpTest, SpecialRegisters) {
  EXPECT_EQ(Results("mov.u32 %r9, %warpid;", 96)[70], 2);
  EXPECT_EQ(Results("mov.u32 %r9, %lanemask_lt;", 96)[70], 0x3f);
  EXPECT_EQ(Results("mov.u32 %r9, %ntid.x;", 96)[70], 96);
  EXPECT_EQ(Results("activemask.b32 %r9; shr.u32 %r9, %r9, %r1; and.b32 %r9, "
                    "%r9, 1;",
                    96)[70],
            1);
}

TEST(WarpTest, AMaskNamesAThreadThatWaitsElsewhere) {
  const std::string odd = "and.b32 %r2, %r0, 1; setp.ne.u32 %p0, %r2, 0;";
  const std::string shuffle = "shfl.sync.bfly.b32 %r9, %r0, 2, 31, ";
  EXPECT_OK(
      StatusOfBody(odd + "mov.b32 %r9, 0; @%p0 " + shuffle + "0xaaaaaaaa;"));
  EXPECT_THAT(
      StatusOfBody(odd + "mov.b32 %r9, 0; @%p0 " + shuffle + "-1; bar.sync 0;"),
      StatusIs(kFault, HasSubstr("hang")));
  EXPECT_THAT(StatusOfBody(odd + "@%p0 ret; " + shuffle + "-1;"),
              StatusIs(kFault, HasSubstr("which has exited")));
  EXPECT_THAT(StatusOfBody(odd + shuffle + "0x55555555;"),
              StatusIs(kFault, HasSubstr("does not name the thread itself")));
  EXPECT_THAT(StatusOfBody(odd + "mov.b32 %r9, 0; @%p0 bar.warp.sync -1; @!%p0 "
                                 "vote.sync.ballot.b32 %r9, %p0, -1;"),
              StatusIs(kFault, HasSubstr("hang")));
}

TEST(WarpTest, AShuffleReadsAThreadThatDoesNotTakePart) {
  EXPECT_THAT(StatusOfBody("setp.ge.u32 %p0, %r0, 16; @%p0 ret; "
                           "shfl.sync.bfly.b32 %r9, %r0, 16, 31, 0xffff;"),
              StatusIs(kFault, HasSubstr("%laneid 16, which does not take")));
  EXPECT_OK(
      StatusOfBody("setp.ge.u32 %p0, %r0, 16; @%p0 ret; "
                   "shfl.sync.bfly.b32 %r9, %r0, 8, 31, 0xffff;"));
  // A warp that the block's end cuts short may use a full mask.
  EXPECT_OK(StatusOfBody("shfl.sync.bfly.b32 %r9, %r0, 8, 31, -1;", 16));
  EXPECT_THAT(StatusOfBody("shfl.sync.bfly.b32 %r9, %r0, 16, 31, -1;", 16),
              StatusIs(kFault, HasSubstr("does not take part")));
}

}  // namespace
}  // namespace accel::ptx
