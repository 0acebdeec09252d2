// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to alpha op(A) op(B) + beta C before it is stored in D: a bias
// is added, GELU is applied, with or without an auxiliary matrix that keeps
// what it was applied to, or the value is multiplied by GELU's derivative at
// the auxiliary matrix. All of it is in f32, and D is rounded once.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_EPILOGUE_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_EPILOGUE_H_

#include <cstdint>

#include "test/cuda/double/blas/problem.h"

namespace accel::cuda_double::blas {

bool HasBias(uint32_t epilogue);
bool AppliesGelu(uint32_t epilogue);
bool WritesAux(uint32_t epilogue);
bool ReadsAux(uint32_t epilogue);
inline bool HasAux(uint32_t epilogue) {
  return WritesAux(epilogue) || ReadsAux(epilogue);
}

// What cublasLtEpilogue_t, the notes of cublasLtMatmul and the attributes of
// the auxiliary matrix require; sets that matrix' layout, which is stored by
// columns.
cuda::BlasStatus CheckEpilogue(Problem* problem);

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as documented, and its
// derivative.
float Gelu(float x);
float GeluDerivative(float x);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_EPILOGUE_H_
