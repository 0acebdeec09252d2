// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the corpus give what their references give, whatever the
// order of blocks and threads, and within the errors of perturbed
// approximations.
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/corpus_kernels.h"
#include "test/cuda/ptx/kernel_fixture.h"

namespace accel::ptx {
namespace {

struct Row {
  const char* file;
  CorpusKernel run;
};

class CorpusTest : public ::testing::TestWithParam<Row> {};

TEST_P(CorpusTest, GivesTheReferenceForEverySeed) {
  for (const char* target : {"sm_90", "sm_100"}) {
    const std::string text =
        ReadCorpus(absl::StrCat(GetParam().file, "-", target, ".ptx"));
    for (const uint64_t seed : {0, 1}) {
      Options options;
      options.seed = seed;
      EXPECT_OK(GetParam().run(text, options)) << target << " " << seed;
    }
    Options perturbed;
    perturbed.seed = 2;
    perturbed.approximation = Approximation::kPerturbed;
    EXPECT_OK(GetParam().run(text, perturbed)) << target << ", perturbed";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CorpusTest,
    ::testing::Values(Row{"bias_gelu", &RunBiasGelu},
                      Row{"rms_norm", &RunRmsNorm},
                      Row{"layer_norm", &RunLayerNorm},
                      Row{"layer_norm_grad", &RunLayerNormGrad},
                      Row{"cross_entropy", &RunCrossEntropy},
                      Row{"adamw", &RunAdamw},
                      Row{"cast_transpose_fp8", &RunCastTranspose},
                      Row{"embedding_grad", &RunEmbeddingGrad}),
    [](const auto& info) { return std::string(info.param.file); });

}  // namespace
}  // namespace accel::ptx
