// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an entry point begins, and how it says no. With CUBLASLT_LOG_LEVEL, which
// is cuBLASLt's own variable, at 1 or more, each refusal is a line on stderr:
// a status alone does not say which of thirty rules was broken.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_REFUSALS_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_REFUSALS_H_

#include "test/cuda/double/blas/elements.h"

namespace accel::cuda_double::blas {

// Returns the status that the environment asks for at this call, or a success.
// Requires: `entry` is a literal.
cuda::BlasStatus Enter(const char* entry);

// Returns `status`.
cuda::BlasStatus Refuse(cuda::BlasStatus status, const char* reason);
// The two refusals that are documented for almost everything.
cuda::BlasStatus Invalid(const char* reason);
cuda::BlasStatus Unsupported(const char* reason);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_REFUSALS_H_
