// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to memory: what they do, and each fault beside the same kernel
// without it.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kFault = absl::StatusCode::kFailedPrecondition;

std::vector<uint32_t> Sequence(size_t count) {
  std::vector<uint32_t> values(count);
  for (size_t k = 0; k < count; ++k) {
    values[k] = static_cast<uint32_t>(0x01020304 * (k + 1));
  }
  return values;
}

absl::Status RunOne(absl::string_view body, std::vector<uint32_t>& memory,
                    absl::string_view declarations = "", uint32_t dynamic = 0) {
  Run1 run;
  run.dynamic_shared_bytes = dynamic;
  return RunKernel(KernelText({body.data(), body.size()},
                              {declarations.data(), declarations.size()}),
                   memory, Sequence(16), run);
}

TEST(MemoryTest, VectorsOfAllWidths) {
  for (const char* copy :
       {"ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];"
        "st.global.v8.b32 [%rd0], {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7};",
        "ld.global.v4.b64 {%d0,%d1,%d2,%d3}, [%rd1];"
        "st.global.v4.b64 [%rd0], {%d0,%d1,%d2,%d3};",
        "ld.global.nc.v4.b32 {%r0,%r1,%r2,%r3}, [%rd1];"
        "st.global.v2.b32 [%rd0], {%r0,%r1}; st.v2.b32 [%rd0+8], {%r2,%r3};"
        "ld.v2.b64 {%d0,%d1}, [%rd1+16]; st.global.v2.b64 [%rd0+16], "
        "{%d0,%d1};"}) {
    alignas(32) static uint32_t source[8];
    alignas(32) static uint32_t target[8];
    const std::vector<uint32_t> values = Sequence(8);
    std::copy(values.begin(), values.end(), source);
    std::fill(std::begin(target), std::end(target), 0);
    ASSERT_OK_AND_ASSIGN(Module module, Module::Parse(KernelText(copy)));
    GlobalMemory memory;
    ASSERT_OK(
        memory.Add(target, sizeof(target), "target", Contents::kPoisoned));
    ASSERT_OK(memory.AddReadOnly(source, sizeof(source), "source"));
    Launch launch;
    launch.Add(&target[0]).Add(&source[0]).Add(uint64_t{0}).Add(uint64_t{0});
    ASSERT_OK(ptx::Run(*module.Find("k"), launch, memory));
    EXPECT_TRUE(std::equal(values.begin(), values.end(), target)) << copy;
    EXPECT_TRUE(memory.IsWritten(target, sizeof(target)));
  }
}

TEST(MemoryTest, NarrowLoadsExtendAndNarrowStoresCut) {
  std::vector<uint32_t> memory(4);
  ASSERT_OK(RunOne("st.global.b32 [%rd0], 0x8081ff82;"
                   "ld.global.s8 %r0, [%rd0]; st.global.b32 [%rd0+4], %r0;"
                   "ld.global.u8 %h0, [%rd0+1]; cvt.u32.u16 %r1, %h0;"
                   "st.global.b32 [%rd0+8], %r1;"
                   "mov.b32 %r2, 0x11223344; st.global.b32 [%rd0+12], 0;"
                   "st.global.b16 [%rd0+13+1], %r2;"
                   "st.global.b8 [%rd0+12], %r2;",
                   memory)
                        .code() == absl::StatusCode::kInvalidArgument
                ? absl::OkStatus()
                : absl::InternalError("two offsets are no address"));
  ASSERT_OK(
      RunOne("st.global.b32 [%rd0], 0x8081ff82;"
             "ld.global.s8 %r0, [%rd0]; st.global.b32 [%rd0+4], %r0;"
             "ld.global.u8 %h0, [%rd0+1]; cvt.u32.u16 %r1, %h0;"
             "st.global.b32 [%rd0+8], %r1;"
             "mov.b32 %r2, 0x11223344; st.global.b32 [%rd0+12], 0;"
             "st.global.b16 [%rd0+14], %r2;"
             "st.global.b8 [%rd0+12], %r2;",
             memory));
  EXPECT_EQ(memory[1], 0xffffff82);
  EXPECT_EQ(memory[2], 0xff);
  EXPECT_EQ(memory[3], 0x33440044);
}

TEST(MemoryTest, VariablesOfTheModule) {
  constexpr char kVariables[] =
      ".global .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3};\n"
      ".const .align 4 .f32 numbers[2] = {1.5, 0f40000000};\n"
      ".global .align 8 .u64 zeros[2];\n"
      ".global .align 4 .b32 square[2][2] = {{1, 2}, {3, 4}};\n";
  std::vector<uint32_t> memory(8);
  ASSERT_OK(
      RunOne("mov.b64 %d0, table; ld.global.nc.b32 %r0, [%d0+8];"
             "ld.global.b32 %r1, [table+12];"
             "ld.const.b32 %r2, [numbers+4]; mov.b64 %d1, numbers;"
             "ld.const.b32 %r3, [%d1]; ld.global.b32 %r4, [zeros+8];"
             "ld.global.b32 %r5, [square+12]; mov.b64 %d2, table+4;"
             "ld.b32 %r6, [%d2]; cvta.const.u64 %d3, %d1;"
             "ld.b32 %r7, [%d3];"
             "st.global.b32 [%rd0], %r0; st.global.b32 [%rd0+4], %r1;"
             "st.global.b32 [%rd0+8], %r2; st.global.b32 [%rd0+12], %r3;"
             "st.global.b32 [%rd0+16], %r4; st.global.b32 [%rd0+20], %r5;"
             "st.global.b32 [%rd0+24], %r6; st.global.b32 [%rd0+28], %r7;",
             memory, kVariables));
  EXPECT_EQ(memory, (std::vector<uint32_t>{3, 0, 0x40000000, 0x3fc00000, 0, 4,
                                           2, 0x3fc00000}));
  EXPECT_THAT(RunOne("ld.global.b32 %r0, [table+16];", memory, kVariables),
              StatusIs(kFault, HasSubstr("out of range")));
  EXPECT_THAT(RunOne("ld.const.b32 %r0, [%rd1];", memory, kVariables),
              StatusIs(kFault, HasSubstr("out of range")));
  EXPECT_THAT(
      RunOne("mov.b64 %d0, numbers; st.b32 [%d0], 1;", memory, kVariables),
      StatusIs(kFault, HasSubstr("read-only 'numbers'")));
}

TEST(MemoryTest, SharedLocalAndGenericAddresses) {
  constexpr char kShared[] = ".extern .shared .align 16 .b8 dynamic[];\n";
  std::vector<uint32_t> memory(4);
  ASSERT_OK(RunOne(
      ".shared .align 4 .b32 one; .shared .align 16 .b8 many[64];"
      ".local .align 8 .b8 depot[16]; .reg .b64 %SP; .reg .b64 %SPL;"
      "mov.b64 %SPL, depot; cvta.local.u64 %SP, %SPL;"
      "st.local.b32 [%SPL+4], 7; ld.b32 %r0, [%SP+4];"
      "st.shared.b32 [many+60], 8; mov.u32 %r5, many; ld.shared.b32 %r1, "
      "[%r5+60];"
      "mov.b64 %d0, dynamic; st.shared.b32 [%d0+12], 9;"
      "cvta.shared.u64 %d1, %d0; ld.b32 %r2, [%d1+12];"
      "st.shared.b32 [one], 10; cvta.to.shared.u64 %d2, %d1;"
      "ld.shared.b32 %r3, [%d2+12]; add.s32 %r3, %r3, %r0;"
      "st.global.b32 [%rd0], %r0; st.global.b32 [%rd0+4], %r1;"
      "st.global.b32 [%rd0+8], %r2; st.global.b32 [%rd0+12], %r3;",
      memory, kShared, 16));
  EXPECT_EQ(memory, (std::vector<uint32_t>{7, 8, 9, 16}));
}

struct Wrong {
  const char* right;
  const char* wrong;
  const char* message;
};

void ExpectOnlySecondFails(const Wrong& pair) {
  std::vector<uint32_t> memory(8);
  EXPECT_OK(RunOne(pair.right, memory)) << pair.right;
  EXPECT_THAT(RunOne(pair.wrong, memory),
              StatusIs(kFault, HasSubstr(pair.message)))
      << pair.wrong;
}

TEST(MemoryTest, AddressesOutOfRange) {
  ExpectOnlySecondFails({"st.global.b32 [%rd0+28], 1;",
                         "st.global.b32 [%rd0+32], 1;", "out of range"});
  ExpectOnlySecondFails({"st.global.b32 [%rd0], 1;",
                         "st.global.b32 [%rd0+-4], 1;", "out of range"});
  ExpectOnlySecondFails({"ld.global.b32 %r0, [%rd1+60];",
                         "ld.global.b32 %r0, [%rd1+64];", "out of range"});
  ExpectOnlySecondFails({"st.global.b32 [%rd0], 1;",
                         "mov.b64 %d0, 0; st.global.b32 [%d0], 1;",
                         "out of range"});
  ExpectOnlySecondFails(
      {".shared .align 4 .b8 a[8]; .shared .align 4 .b8 "
       "b[8]; st.shared.b32 [b], 1; st.shared.b32 [a+4], 1;",
       ".shared .align 4 .b8 a[8]; .shared .align 4 .b8 "
       "b[8]; st.shared.b32 [b], 1; st.shared.b32 [a+8], 1;",
       "out of range"});
  ExpectOnlySecondFails({".local .align 4 .b8 a[8]; st.local.b32 [a+4], 1;",
                         ".local .align 4 .b8 a[8]; st.local.b32 [a+8], 1;",
                         "out of range"});
  ExpectOnlySecondFails({"ld.param.b64 %d0, [k_param_3];",
                         "ld.param.b64 %d0, [k_param_3+8];", "out of range"});
  // A shared address is no global one.
  ExpectOnlySecondFails(
      {".shared .align 4 .b8 a[8]; mov.b64 %d0, a; st.shared.b32 [%d0], 1;",
       ".shared .align 4 .b8 a[8]; mov.b64 %d0, a; st.global.b32 [%d0], 1;",
       "out of range"});
}

TEST(MemoryTest, MisalignedAccesses) {
  ExpectOnlySecondFails({"ld.global.b32 %r0, [%rd1+4];",
                         "ld.global.b32 %r0, [%rd1+2];", "misaligned"});
  ExpectOnlySecondFails(
      {".shared .align 16 .b8 a[32]; st.shared.v2.b32 [a+8], {0, 0};",
       ".shared .align 16 .b8 a[32]; st.shared.v2.b32 [a+4], {0, 0};",
       "misaligned access: 8 bytes"});
}

TEST(MemoryTest, UninitialisedBytes) {
  ExpectOnlySecondFails({"st.global.b32 [%rd0], 1; ld.global.b32 %r0, [%rd0];",
                         "st.global.b16 [%rd0], 1; ld.global.b32 %r0, [%rd0];",
                         "uninitialised byte: byte 2 of 'memory'"});
  ExpectOnlySecondFails(
      {".shared .b32 a; st.shared.b32 [a], 1; ld.shared.b32 %r0, [a];",
       ".shared .b32 a; ld.shared.b32 %r0, [a];", "uninitialised"});
  ExpectOnlySecondFails(
      {".local .b32 a; st.local.b32 [a], 1; ld.local.b32 %r0, [a];",
       ".local .b32 a; ld.local.b32 %r0, [a];", "uninitialised"});
  ExpectOnlySecondFails(
      {"{.param .b32 a; st.param.b32 [a], 1; ld.param.b32 %r0, [a];}",
       "{.param .b32 a; ld.param.b32 %r0, [a];}", "uninitialised"});
  ExpectOnlySecondFails(
      {"st.global.b32 [%rd0], 1; atom.global.add.u32 %r0, [%rd0], 1;",
       "atom.global.add.u32 %r0, [%rd0], 1;", "uninitialised"});
  // A pragma says which bytes of a load nobody needs.
  ExpectOnlySecondFails(
      {"st.global.b32 [%rd0], 1; .pragma \"used_bytes_mask 0xf\";"
       "ld.global.v2.b32 {%r0, %r1}, [%rd0];",
       "st.global.b32 [%rd0], 1; ld.global.v2.b32 {%r0, %r1}, [%rd0];",
       "uninitialised"});
}

TEST(MemoryTest, WritesToReadOnlyRanges) {
  ExpectOnlySecondFails({"st.global.b32 [%rd0], 1;", "st.global.b32 [%rd1], 1;",
                         "read-only 'input'"});
  ExpectOnlySecondFails(
      {"st.global.b32 [%rd0], 1; red.global.add.u32 "
       "[%rd0], 1;",
       "red.global.add.u32 [%rd1], 1;", "read-only 'input'"});
}

TEST(MemoryTest, NonCoherentLoadsOfWrittenBytes) {
  ExpectOnlySecondFails(
      {"st.global.b32 [%rd0], 1; ld.global.b32 %r0, [%rd0];",
       "st.global.b32 [%rd0], 1; ld.global.nc.b32 %r0, [%rd0];",
       "ld.global.nc"});
}

TEST(MemoryTest, TheErrorNamesThePlace) {
  std::vector<uint32_t> memory(1);
  Run1 run;
  run.block = {2, 1, 2};
  run.grid = {1, 2, 1};
  const std::string text = KernelText(
      "mov.u32 %r0, %tid.z;\nmov.u32 %r1, %ctaid.y;\n"
      "add.u32 %r0, %r0, %r1;\nsetp.eq.u32 %p0, %r0, 2;\n"
      "@%p0 ld.global.b32 %r2, [%rd0+4];  // the fault");
  EXPECT_THAT(
      RunKernel(text, memory, {1}, run),
      StatusIs(kFault,
               AllOf(HasSubstr("kernel 'k', line "),
                     HasSubstr("'@%p0 ld.global.b32 %r2, [%rd0+4];', block "
                               "(0, 1, 0), thread (0, 0, 1): read of 4 bytes"),
                     HasSubstr("out of range"))));
}

TEST(MemoryTest, Atomics) {
  const std::vector<std::pair<std::string, uint32_t>> rows = {
      {"add.u32 %r0, [%rd0], 5", 15},    {"min.s32 %r0, [%rd0], -3", ~2u},
      {"min.u32 %r0, [%rd0], -3", 10},   {"max.u32 %r0, [%rd0], -3", ~2u},
      {"max.s32 %r0, [%rd0], -3", 10},   {"exch.b32 %r0, [%rd0], 6", 6},
      {"cas.b32 %r0, [%rd0], 10, 7", 7}, {"cas.b32 %r0, [%rd0], 9, 7", 10},
      {"and.b32 %r0, [%rd0], 6", 2},     {"or.b32 %r0, [%rd0], 5", 15},
      {"xor.b32 %r0, [%rd0], 3", 9},     {"inc.u32 %r0, [%rd0], 10", 0},
      {"dec.u32 %r0, [%rd0], 20", 9}};
  for (const auto& [operation, expected] : rows) {
    std::vector<uint32_t> memory(2);
    ASSERT_OK(RunOne(absl::StrCat("st.global.b32 [%rd0], 10; atom.global.",
                                  operation, "; st.global.b32 [%rd0+4], %r0;"),
                     memory));
    EXPECT_EQ(memory[0], expected) << operation;
    EXPECT_EQ(memory[1], 10) << operation;
  }
  std::vector<uint32_t> memory(2);
  ASSERT_OK(
      RunOne("st.global.b64 [%rd0], 1; atom.add.u64 %d0, [%rd0], -2;"
             "atom.relaxed.gpu.global.add.u64 _, [%rd0], 0;",
             memory));
  EXPECT_EQ(memory, (std::vector<uint32_t>{~0u, ~0u}));
}

TEST(MemoryTest, RangesOfTheHost) {
  std::vector<uint32_t> data(8);
  GlobalMemory memory;
  ASSERT_OK(memory.Add(data.data(), 16, "first", Contents::kPoisoned));
  EXPECT_THAT(memory.Add(&data[3], 16, "second"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'second' overlaps")));
  ASSERT_OK(memory.Add(&data[4], 16, "second"));
  EXPECT_FALSE(memory.IsWritten(&data[0], 4));
  EXPECT_TRUE(memory.IsWritten(&data[4], 16));
  EXPECT_FALSE(memory.IsWritten(&data[3], 8));
  ASSERT_OK(memory.Mark(&data[1], 8, Contents::kInitialised));
  EXPECT_THAT(memory.CountUnwritten(&data[0]),
              ::accel::testing::IsOkAndHolds(8u));
  ASSERT_OK_AND_ASSIGN(void* own, memory.Allocate(100, 64, "own"));
  EXPECT_EQ(reinterpret_cast<uint64_t>(own) % 64, 0);
  EXPECT_EQ(memory.ranges().size(), 3);
}

}  // namespace
}  // namespace accel::ptx
