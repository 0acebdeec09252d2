// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that a driver would refuse are refused, faults of arithmetic and of
// control are found, and functions can be called.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;
constexpr auto kFault = absl::StatusCode::kFailedPrecondition;

absl::Status RunWith(const std::string& text, const Run1& run,
                     std::vector<uint32_t>* memory = nullptr) {
  std::vector<uint32_t> own(16);
  return RunKernel(text, memory == nullptr ? own : *memory, {7}, run);
}

TEST(LaunchTest, Blocks) {
  const std::string required = KernelText("", "", ".reqntid 32, 2");
  EXPECT_OK(RunWith(required, {.block = {32, 2}}));
  EXPECT_THAT(RunWith(required, {.block = {64}}),
              StatusIs(kRefused, HasSubstr(".reqntid (32, 2, 1), got (64")));
  const std::string maximum = KernelText("", "", ".maxntid 64");
  EXPECT_OK(RunWith(maximum, {.block = {16, 4}}));
  EXPECT_THAT(RunWith(maximum, {.block = {65}}),
              StatusIs(kRefused, HasSubstr(".maxntid")));
  EXPECT_OK(RunWith(KernelText(""), {.block = {32, 32}}));
  EXPECT_THAT(RunWith(KernelText(""), {.block = {1025}}),
              StatusIs(kRefused, HasSubstr("1 to 1024 threads")));
  EXPECT_THAT(RunWith(KernelText(""), {.grid = {1, 70000}}),
              StatusIs(kRefused, HasSubstr("does not exist")));
}

TEST(LaunchTest, SharedMemory) {
  const auto text = [](int bytes) {
    return KernelText(absl::StrCat(".shared .align 16 .b8 s[", bytes,
                                   "]; st.shared.b32 [s], 1;"));
  };
  EXPECT_OK(RunWith(text(49152), {}));
  EXPECT_THAT(RunWith(text(49156), {}),
              StatusIs(kRefused, HasSubstr("at most 49152 bytes of static")));
  const std::string dynamic = KernelText("st.shared.b32 [d+1020], 1;",
                                         ".extern .shared .align 16 .b8 d[];");
  EXPECT_OK(RunWith(dynamic, {.dynamic_shared_bytes = 1024}));
  EXPECT_THAT(RunWith(dynamic, {.dynamic_shared_bytes = 1020}),
              StatusIs(kFault, HasSubstr("out of range")));
  EXPECT_THAT(RunWith(dynamic, {.dynamic_shared_bytes = 240000}),
              StatusIs(kRefused, HasSubstr("shared memory")));
}

TEST(LaunchTest, Arguments) {
  constexpr char kText[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n"
      ".param .u8 k_0, .param .u64 .ptr .global .align 16 k_1,\n"
      ".param .align 4 .b8 k_2[12])\n{ ret; }";
  ASSERT_OK_AND_ASSIGN(Module module, Module::Parse(kText));
  const Kernel& kernel = *module.Find("k");
  ASSERT_EQ(kernel.parameters.size(), 3);
  EXPECT_EQ(kernel.parameters[1].offset, 8);
  EXPECT_EQ(kernel.parameters[1].pointee_alignment, 16);
  EXPECT_EQ(kernel.parameters[2].size_bytes, 12);
  EXPECT_EQ(kernel.parameter_bytes, 28);
  GlobalMemory memory;
  const std::array<float, 3> three = {};
  Launch launch;
  launch.Add(uint8_t{1}).Add(uint64_t{32}).Add(three);
  EXPECT_OK(ptx::Run(kernel, launch, memory));
  Launch fewer = launch;
  fewer.arguments.pop_back();
  EXPECT_THAT(ptx::Run(kernel, fewer, memory),
              StatusIs(kRefused, HasSubstr("expected 3 arguments, got 2")));
  Launch wider;
  wider.Add(1).Add(uint64_t{32}).Add(three);
  EXPECT_THAT(ptx::Run(kernel, wider, memory),
              StatusIs(kRefused, HasSubstr("argument 0: expected 1 bytes")));
  Launch misaligned;
  misaligned.Add(uint8_t{1}).Add(uint64_t{40}).Add(three);
  EXPECT_THAT(ptx::Run(kernel, misaligned, memory),
              StatusIs(kRefused, HasSubstr("multiple of 16")));
}

TEST(LaunchTest, DivisionByZero) {
  EXPECT_OK(RunWith(KernelText("div.s32 %r0, 7, 2;"), {}));
  EXPECT_THAT(RunWith(KernelText("mov.b32 %r1, 0; div.s32 %r0, 7, %r1;"), {}),
              StatusIs(kFault, HasSubstr("division by zero")));
  EXPECT_THAT(RunWith(KernelText("rem.u64 %d0, %rd0, %rd2;"), {}),
              StatusIs(kFault, HasSubstr("division by zero")));
  // A guard keeps the division from being executed.
  EXPECT_OK(RunWith(KernelText("setp.ne.b64 %p0, %rd2, 0; @%p0 rem.u64 %d0, "
                               "%rd0, %rd2;"),
                    {}));
}

TEST(LaunchTest, TrapsAndTables) {
  EXPECT_THAT(RunWith(KernelText("trap;"), {}),
              StatusIs(kFault, HasSubstr("traps")));
  const std::string table =
      "mov.u32 %r0, %tid.x; T: .branchtargets A, B, A;\n"
      "mov.b32 %r1, 0; brx.idx %r0, T; A: add.u32 %r1, %r1, 10; B: add.u32 "
      "%r1, %r1, 1; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %rd0; "
      "st.global.b32 [%d0], %r1;";
  std::vector<uint32_t> memory(3);
  ASSERT_OK(RunWith(KernelText(table), {.block = {3}}, &memory));
  EXPECT_EQ(memory, (std::vector<uint32_t>{11, 1, 11}));
  EXPECT_THAT(RunWith(KernelText(table), {.block = {4}}),
              StatusIs(kFault, HasSubstr("no target 3 among 3")));
}

constexpr char kFunctions[] =
    ".func (.param .b32 r) power(.param .b32 a, .param .b32 n)\n"
    "{ .reg .b32 %x<5>; .reg .pred %q; .local .align 4 .b8 depot[4];\n"
    "ld.param.b32 %x0, [a]; ld.param.b32 %x1, [n];\n"
    "setp.eq.u32 %q, %x1, 0; mov.b32 %x2, 1; @%q bra DONE;\n"
    "st.local.b32 [depot], %x0; sub.u32 %x3, %x1, 1;\n"
    "{ .param .b32 p0; .param .b32 p1; .param .b32 q0;\n"
    "st.param.b32 [p0], %x0; st.param.b32 [p1+0], %x3;\n"
    "call.uni (q0), power, (p0, p1); ld.param.b32 %x2, [q0]; }\n"
    "ld.local.b32 %x4, [depot]; mul.lo.u32 %x2, %x2, %x4;\n"
    "DONE: st.param.b32 [r], %x2; ret; }\n"
    ".func nothing() { ret; }\n";

TEST(LaunchTest, FunctionsCallThemselves) {
  std::vector<uint32_t> memory(8);
  ASSERT_OK(RunWith(
      KernelText("mov.u32 %r0, %tid.x; call nothing;\n"
                 "{ .param .b32 p0; .param .b32 p1; .param .b32 q0;\n"
                 "st.param.b32 [p0], 3; st.param.b32 [p1], %r0;\n"
                 "call.uni (q0), power, (p0, p1); ld.param.b32 %r1, [q0]; }\n"
                 "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %rd0;\n"
                 "st.global.b32 [%d0], %r1;",
                 kFunctions),
      {.block = {8}}, &memory));
  EXPECT_EQ(memory, (std::vector<uint32_t>{1, 3, 9, 27, 81, 243, 729, 2187}));
  EXPECT_THAT(
      RunWith(KernelText("{ .param .b32 p0; .param .b32 p1; .param .b32 q0;\n"
                         "st.param.b32 [p0], 3; st.param.b32 [p1], 9999;\n"
                         "call.uni (q0), power, (p0, p1); }",
                         kFunctions),
              {}),
      StatusIs(kFault, HasSubstr("nested calls")));
}

TEST(LaunchTest, TheSeedChangesWhatIsUndefined) {
  // Nobody writes %r5: what it holds depends on the seed.
  const std::string text = KernelText("st.global.b32 [%rd0], %r5;");
  std::vector<uint32_t> first(1);
  std::vector<uint32_t> second(1);
  Run1 run;
  ASSERT_OK(RunWith(text, run, &first));
  run.options.seed = 1;
  ASSERT_OK(RunWith(text, run, &second));
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace accel::ptx
