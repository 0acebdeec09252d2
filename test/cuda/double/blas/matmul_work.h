// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checked product on its way to a stream of the double of the driver.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_MATMUL_WORK_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_MATMUL_WORK_H_

#include "test/cuda/double/blas/product.h"

namespace accel::cuda_double::blas {

// Refuses operands that overlap where cuBLASLt would read what it has already
// written: D or a written auxiliary matrix and an operand, the workspace and
// anything. C may be D if both have the same layout.
cuda::BlasStatus CheckOverlaps(const Product& product);

// Requires: CheckOverlaps(product) is a success.
cuda::BlasStatus Enqueue(const Product& product, cuda::StreamHandle stream);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_MATMUL_WORK_H_
