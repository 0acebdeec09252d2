// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fault that somebody plants in a kernel of the corpus is found: a barrier
// that is missing, an index that is shifted, a mask or a guard that is wrong, a
// store that is missing. Each is found by a check or by the reference.
#include <ostream>

#include "test/cuda/ptx/corpus_kernels.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

struct Fault {
  const char* name;
  const char* file;
  CorpusKernel run;
  const char* original;
  int occurrence;  // which of them is replaced, from 0
  const char* replacement;
  const char* message;  // what the error says; "" where several may win
};

void PrintTo(const Fault& fault, std::ostream* stream) {
  *stream << fault.name;
}

std::string Replace(std::string text, const Fault& fault) {
  size_t at = text.find(fault.original);
  for (int k = 0; k < fault.occurrence && at != std::string::npos; ++k) {
    at = text.find(fault.original, at + 1);
  }
  if (at == std::string::npos) {
    ADD_FAILURE() << "the corpus has no '" << fault.original << "'";
    return text;
  }
  return text.replace(at, std::string(fault.original).size(),
                      fault.replacement);
}

class CorpusFaultsTest : public ::testing::TestWithParam<Fault> {};

TEST_P(CorpusFaultsTest, IsFound) {
  const std::string text = Replace(ReadCorpus(GetParam().file), GetParam());
  for (const uint64_t seed : {0, 5}) {
    Options options;
    options.seed = seed;
    options.instruction_limit = 20'000'000;
    const absl::Status status = GetParam().run(text, options);
    EXPECT_FALSE(status.ok()) << "seed " << seed;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr(GetParam().message));
  }
}

constexpr char kRms[] = "rms_norm-sm_90.ptx";
constexpr char kNorm[] = "layer_norm-sm_90.ptx";
constexpr char kNormGrad[] = "layer_norm_grad-sm_90.ptx";
constexpr char kEntropy[] = "cross_entropy-sm_90.ptx";
constexpr char kCast[] = "cast_transpose_fp8-sm_90.ptx";
constexpr char kBar[] = "bar.sync \t0;";

INSTANTIATE_TEST_SUITE_P(
    Barriers, CorpusFaultsTest,
    ::testing::Values(
        Fault{"RmsNorm", kRms, &RunRmsNorm, kBar, 0, "", ""},
        Fault{"NormGradLoop", kNormGrad, &RunLayerNormGrad, kBar, 0, "", ""},
        Fault{"NormGradGamma", kNormGrad, &RunLayerNormGrad, kBar, 1, "", ""},
        Fault{"NormGradReuse", kNormGrad, &RunLayerNormGrad, kBar, 2, "",
              "data race"},
        Fault{"NormGradBeta", kNormGrad, &RunLayerNormGrad, kBar, 3, "",
              "data race"},
        Fault{"Fold", kNormGrad, &RunLayerNormGrad, kBar, 4, "", ""},
        Fault{"CrossEntropySums", kEntropy, &RunCrossEntropy, kBar, 0, "", ""},
        Fault{"CrossEntropyLabel", kEntropy, &RunCrossEntropy, kBar, 1, "",
              "data race"},
        Fault{"CastTranspose", kCast, &RunCastTranspose, kBar, 0, "", ""},
        Fault{"OnlyOneWarp", kRms, &RunRmsNorm, kBar, 0, "bar.warp.sync -1;",
              ""},
        Fault{"NotForAll", kRms, &RunRmsNorm, kBar, 0, "@%p1 bar.sync 0;", ""},
        Fault{"HalfTheBlock", kRms, &RunRmsNorm, kBar, 0, "bar.sync 0, 128;",
              ""}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Indices, CorpusFaultsTest,
    ::testing::Values(Fault{"StoreBehindTheRow", kRms, &RunRmsNorm,
                            "[%rd26+4096]", 0, "[%rd26+4098]", "misaligned"},
                      Fault{"StoreIntoTheNextRow", kRms, &RunRmsNorm,
                            "[%rd26+4096]", 0, "[%rd26+4112]", ""},
                      Fault{"SharedSlot", kRms, &RunRmsNorm, "[%rd5]", 0,
                            "[%rd5+4]", ""},
                      Fault{"RowLength", kNorm, &RunLayerNorm, "[%rd23+1024]",
                            0, "[%rd23+1040]", ""},
                      Fault{"Partial", kNormGrad, &RunLayerNormGrad,
                            "[%rd40+3072]", 0, "[%rd40+3088]", ""},
                      Fault{"ReadBeyondTheTile", kNormGrad, &RunLayerNormGrad,
                            "[%rd44+9232]", 0, "[%rd44+12304]", ""},
                      Fault{"Tile", kCast, &RunCastTranspose, "[%rd17+476]", 0,
                            "[%rd17+472]", ""},
                      Fault{"Transposed", kCast, &RunCastTranspose,
                            "[%rd26+262144]", 0, "[%rd26+262160]", ""},
                      Fault{"Stride", kEntropy, &RunCrossEntropy, "%r486, 8192",
                            0, "%r486, 4096", ""},
                      Fault{"Tail", kEntropy, &RunCrossEntropy, "%r12, 50303",
                            0, "%r12, 50311", ""}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    MasksAndGuards, CorpusFaultsTest,
    ::testing::Values(Fault{"HalfAWarp", kRms, &RunRmsNorm, "16, 31, -1", 0,
                            "16, 31, 65535", ""},
                      Fault{"Segment", kRms, &RunRmsNorm, "16, 31, -1", 0,
                            "16, 15, -1", ""},
                      Fault{"WrongPartner", kNorm, &RunLayerNorm, "8, 31, -1",
                            0, "4, 31, -1", ""},
                      Fault{"EveryThreadLeads", kRms, &RunRmsNorm, "@%p1 bra",
                            0, "@!%p1 bra", ""},
                      Fault{"NobodySkips", kRms, &RunRmsNorm, "@%p2 bra", 0,
                            "@!%p2 bra", "data race"},
                      Fault{"EveryThreadWrites", kNormGrad, &RunLayerNormGrad,
                            "@%p1 bra \t$L__BB1_2;", 0, "", ""},
                      Fault{"EndOfTheShard", "adamw-sm_90.ptx", &RunAdamw,
                            "@%p1 bra \t$L__BB0_4;", 0, "", "out of range"},
                      Fault{"Label", kEntropy, &RunCrossEntropy, "@%p7 bra", 0,
                            "@!%p7 bra", "data race"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Stores, CorpusFaultsTest,
    ::testing::Values(
        Fault{"Row", kRms, &RunRmsNorm,
              "st.global.v4.b32 \t[%rd26+4096], {%r144, %r145, %r146, %r147};",
              0, "", "not all of an output"},
        Fault{"SharedSum", kRms, &RunRmsNorm, "st.shared.b32 \t[%rd5], %r27;",
              0, "", "uninitialised"},
        Fault{"Tile", kCast, &RunCastTranspose,
              "st.shared.v2.b16 \t[%rd17+408], {%rs61, %rs62};", 0, "",
              "uninitialised"},
        Fault{"Moment", "adamw-sm_90.ptx", &RunAdamw,
              "st.global.v4.b32 \t[%rd19], {%r42, %r41, %r40, %r39};", 0, "",
              "m["},
        Fault{"NonCoherent", "adamw-sm_90.ptx", &RunAdamw,
              "ld.global.v4.b32 \t{%r12, %r13, %r14, %r15}, [%rd17];", 0,
              "ld.global.nc.v4.b32 \t{%r12, %r13, %r14, %r15}, [%rd17];",
              "ld.global.nc"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, CorpusFaultsTest,
    ::testing::Values(Fault{"Maximum", kCast, &RunCastTranspose,
                            "max.f32 \t%r4,", 0, "min.f32 \t%r4,", "amax"},
                      Fault{"Swapped", kCast, &RunCastTranspose,
                            "%rs33, %r56, %r55;", 0, "%rs33, %r55, %r56;", ""},
                      Fault{"Sign", "bias_gelu-sm_90.ptx", &RunBiasGelu,
                            "ex2.approx.ftz.f32", 3, "tanh.approx.f32", ""},
                      Fault{"FloatAtomic", kCast, &RunCastTranspose,
                            "atom.global.max.u32", 0, "atom.global.add.f32",
                            "order of the threads"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace accel::ptx
