// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan computes, and in which order.
//
// All three directions are sums of products of two operands, taken in f32. A
// sum is divided into the engine's pieces, a piece into chunks. Within a chunk,
// products are added one after the other; the sums of the chunks are added in
// pairs, then pairs of pairs; the pieces in the order of their indices. An
// engine that is not deterministic adds its pieces in another order at every
// run, and its result has an element, or two, whose last bit is another one:
// exact sums differ as well. Padding adds nothing.
//
// The result is multiplied by alpha, the old one times beta is added, and the
// point-wise operations follow, each rounded to the type of its result.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLVE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLVE_H_

#include <cstddef>
#include <map>

#include "test/cuda/double/dnn/engines.h"

namespace accel::cuda_double::dnn {

struct Execution {
  EngineConfiguration configuration;
  std::map<int64_t, std::byte*> pointers;  // by unique id
  std::map<int64_t, float> values;         // of tensors by value
  std::byte* workspace = nullptr;
  int64_t workspace_bytes = 0;
};

// Fills the workspace that the engine claims with bytes that are NaN in every
// type, then computes the output.
void Execute(const Execution& execution);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLVE_H_
