// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long algorithms take by the driver's clock, so that a test knows which
// one a program that measures them has to find.
//
//   ACCEL_DOUBLE_BLAS_TIMES=ID=MICROSECONDS,...   so much longer than others
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHM_TIMES_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHM_TIMES_H_

#include <cstdint>

namespace accel::cuda_double::blas {

// Besides what every work takes. A value that is none ends the process.
uint64_t ExtraNanoseconds(int32_t algorithm);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHM_TIMES_H_
