// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a product computes, and in which order. Of operands of fp8 the sum is
// multiplied by alpha and by the scales that are in device memory then. What
// follows, epilogue.h says.
//
// The summed dimension is divided into the algorithm's pieces, a piece into
// chunks. Within a chunk, products are added one after the other in f32; the
// sums of the chunks are added in pairs, then pairs of pairs. Pieces are added
//   without reduction  (there is one piece)
//   compute type       in f32, in the order of their indices
//   in place           in D and in D's type, as documented for that scheme, in
//                      an order that is another at every run
// This is no order of cuBLASLt's, and none that a caller would choose: whoever
// compares bits with sums of his own finds others.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_PRODUCT_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_PRODUCT_H_

#include <cstddef>

#include "test/cuda/double/blas/algorithms.h"
#include "test/cuda/double/blas/problem.h"

namespace accel::cuda_double::blas {

struct Product {
  Problem problem;
  Algorithm algorithm;
  float alpha;
  float beta;
  const std::byte* a;
  const std::byte* b;
  const std::byte* c;  // not read if beta is 0
  std::byte* d;
  std::byte* workspace;
};

// Fills the workspace that the algorithm claims with bytes that are NaN in
// every type, then computes D.
void RunProduct(const Product& product);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_PRODUCT_H_
