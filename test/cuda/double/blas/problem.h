// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product as its descriptors describe it, checked: D = alpha op(A) op(B) +
// beta C, where op(A) is m x k and op(B) is k x n, `batches` times.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_PROBLEM_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_PROBLEM_H_

#include <cstdint>

#include "test/cuda/double/blas/descriptors.h"

namespace accel::cuda_double::blas {

enum Operand { kA, kB, kC, kD };

struct Problem {
  Desc desc;
  Layout layouts[4];  // by Operand
  int64_t m, n, k;
  int32_t batches;
  int bias_type;
  Layout aux;             // if the epilogue has such a matrix
  Capability capability;  // of the device of the current context
};

// What MakeProblem reads: live objects, C's possibly null.
struct ProblemHandles {
  cuda::MatmulDesc desc;
  cuda::MatrixLayout layouts[4];
};

// kBlasInvalidValue for descriptors that are none or contradict each other,
// kBlasNotSupported for products that cuBLASLt does not offer on the device or
// that the double does not compute, kBlasNotInitialized without a current
// context.
cuda::BlasStatus MakeProblem(const ProblemHandles& handles, Problem* problem);

// Whether the documented table of supported types has a row for the product,
// and the device can multiply the types; sets the type of its bias.
cuda::BlasStatus CheckTypes(Problem* problem);

// Differs for two problems for which an algorithm may have to differ. Pointers
// are no part of it.
uint64_t Fingerprint(const Problem& problem);

// FNV-1a of some bytes, continued from `hash`.
inline constexpr uint64_t kHashStart = 0xcbf29ce484222325;
uint64_t HashBytes(uint64_t hash, const void* at, size_t bytes);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_PROBLEM_H_
