// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter does not know is an error that names the line, and a
// text that is no PTX is one, too.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kUnknown = absl::StatusCode::kUnimplemented;
constexpr auto kWrong = absl::StatusCode::kInvalidArgument;

absl::Status ParseBody(const std::string& body) {
  return Module::Parse(KernelText(body)).status();
}

TEST(ParserTest, UnknownInstructionsAndModifiers) {
  for (const char* body : {"wgmma.fence.sync.aligned;",
                           "add.rn.ftz.bf16 %h0, %h1, %h2;",
                           "ld.global.L7::fast.b32 %r0, [%rd0];",
                           "add.cc.u32 %r0, %r1, %r2;",
                           "mul.s32 %r0, %r1, %r2;",
                           "shl.u32 %r0, %r1, 2;",
                           "prmt.b32.f4e %r0, %r1, %r2, 3;",
                           "cvt.rna.tf32.f32 %r0, %r1;",
                           "shfl.bfly.b32 %r0, %r1, 1, 31, -1;",
                           "atom.global.add.f32 %r0, [%rd0], "
                           "0f3F800000;",
                           "red.global.add.f64 [%rd0], 0d3FF0000000000000;",
                           "mov.u32 %r0, %clock;",
                           "and.u32 %r0, %r1, %r2;",
                           "fma.f32 %r0, %r1, %r2, %r3;",
                           "div.f32 %r0, %r1, %r2;",
                           "sqrt.f32 %r0, %r1;",
                           "ex2.f32 %r0, %r1;",
                           "setp.ltu.s32 %p0, %r1, %r2;",
                           ".pragma \"unknown\";",
                           ".reg .b128 %q;",
                           "ld.global.v3.b32 {%r0, %r1, %r2}, [%rd0];",
                           "cvt.rn.e4m3x2.f32 %h0, %r0, %r1;",
                           "mul.wide.s64 %d0, %d1, %d2;"}) {
    EXPECT_THAT(
        ParseBody(absl::StrCat("\n", body, "  // why")),
        StatusIs(kUnknown, AllOf(HasSubstr("line 22 '"),
                                 HasSubstr(std::string(body).substr(0, 5)))))
        << body;
  }
}

TEST(ParserTest, WrongTexts) {
  for (const char* body : {"add.s32 %r0, %r1;",
                           "add.s32 %r0, %r1, %d2;",
                           "add.s64 %d0, %d1, %r2;",
                           "add.f32 %r0, %r1, 1;",
                           "mov.b64 %d0, 0f3F800000;",
                           "ld.global.b32 %r0, %rd0;",
                           "ld.global.b64 %r0, [%rd0];",
                           "st.const.b32 [%rd0], 1;",
                           "bra NOWHERE;",
                           "@%r0 bra X; X:",
                           "X: X: ret;",
                           "add.s32 5, %r0, %r1;",
                           "add.s32 %r0, %r1, nobody;",
                           "ld.global.v2.b32 {%r0}, [%rd0];",
                           "mov.b64 %d0, {%r0, %h1};",
                           "cvt.rn.f64.f32 %d0, %r0;",
                           "cvt.f32.f64 %r0, %d0;",
                           "ld.global.b32 %r0, [%rd0]",
                           "setp.lt.s32 %p0, %r1, !%r2;",
                           "call nobody;"}) {
    const absl::Status status = ParseBody(absl::StrCat("\n", body));
    EXPECT_FALSE(status.ok()) << body;
    EXPECT_THAT(std::string(status.message()), HasSubstr("line 2")) << body;
  }
  EXPECT_THAT(ParseBody("/* no end"), StatusIs(kWrong, HasSubstr("end")));
}

TEST(ParserTest, UnknownDirectives) {
  for (const char* text :
       {".alias a, b;", ".global .texref t;", ".extern .global .b32 x;",
        ".visible .entry k() .maxclusterrank 8 { ret; }",
        ".global .u64 p = other;", ".address_size 32"}) {
    EXPECT_THAT(
        Module::Parse(absl::StrCat(".version 8.0\n.target sm_90\n", text))
            .status(),
        StatusIs(kUnknown, HasSubstr("line 3")))
        << text;
  }
}

TEST(ParserTest, DebugInformationIsSkipped) {
  constexpr char kText[] =
      ".version 8.0\n.target sm_90, debug\n.address_size 64\n"
      ".file 1 \"a.cu\"\n"
      ".visible .entry k()\n{\n.loc 1 2 3, function_name $L__info, inlined_at "
      "1 2 3\nret;\n}\n.section .debug_abbrev\n{\n.b8 1\n.b8 2\n}\n";
  ASSERT_OK_AND_ASSIGN(Module module, Module::Parse(kText));
  EXPECT_EQ(module.target(), "sm_90");
  EXPECT_EQ(module.version(), "8.0");
  EXPECT_EQ(module.kernels().size(), 1);
  EXPECT_EQ(module.Find("other"), nullptr);
}

TEST(ParserTest, KernelsSayWhatTheyNeed) {
  ASSERT_OK_AND_ASSIGN(Module module,
                       Module::Parse(ReadCorpus("layer_norm_grad-sm_90.ptx")));
  ASSERT_EQ(module.kernels().size(), 2);
  const Kernel& kernel = *module.Find("layer_norm_grad");
  EXPECT_EQ(kernel.parameters.size(), 7);
  EXPECT_EQ(kernel.parameter_bytes, 56);
  EXPECT_EQ(kernel.required_block, (Dim3{96, 4, 1}));
  EXPECT_EQ(kernel.static_shared_bytes, 12672);  // as ptxas says
  EXPECT_FALSE(kernel.uses_dynamic_shared);
  EXPECT_EQ(module.Find("fold")->static_shared_bytes, 1024);
}

TEST(ParserTest, ScopesHideNames) {
  std::vector<uint32_t> memory(2);
  ASSERT_OK(RunKernel(
      KernelText("mov.b32 %r0, 1; { .reg .b32 %r0; .reg .b32 tmp; mov.b32 %r0, "
                 "2; mov.b32 tmp, %r0; st.global.b32 [%rd0], tmp; } "
                 "st.global.b32 [%rd0+4], %r0;"),
      memory, {0}, {}));
  EXPECT_EQ(memory, (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace accel::ptx
