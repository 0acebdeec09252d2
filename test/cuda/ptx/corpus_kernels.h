// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the corpus on small tensors, each compared with a reference in
// f64. The corpus is what LLVM makes of kernels written in MLIR, for sm_90 and
// sm_100; their shapes are constants of the code, so that only a few blocks of
// a grid run.
#ifndef ACCEL_TEST_CUDA_PTX_CORPUS_KERNELS_H_
#define ACCEL_TEST_CUDA_PTX_CORPUS_KERNELS_H_

#include <string>

#include "absl/status/status.h"
#include "test/cuda/ptx/interpreter.h"

namespace accel::ptx {

// Each parses the text, runs it and compares what it wrote. The status is the
// interpreter's, or kDataLoss with the first wrong element.
using CorpusKernel = absl::Status (*)(const std::string& text,
                                      const Options& options);

absl::Status RunBiasGelu(const std::string& text, const Options& options);
absl::Status RunRmsNorm(const std::string& text, const Options& options);
absl::Status RunLayerNorm(const std::string& text, const Options& options);
absl::Status RunLayerNormGrad(const std::string& text, const Options& options);
absl::Status RunCrossEntropy(const std::string& text, const Options& options);
absl::Status RunAdamw(const std::string& text, const Options& options);
absl::Status RunCastTranspose(const std::string& text, const Options& options);
absl::Status RunEmbeddingGrad(const std::string& text, const Options& options);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_CORPUS_KERNELS_H_
