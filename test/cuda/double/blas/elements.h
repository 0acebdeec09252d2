// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types of the matrices: size, exact value and rounding. A type is
// a number of cudaDataType.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_ELEMENTS_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_ELEMENTS_H_

#include <cstddef>

#include "runtime/device/cuda/abi/cublaslt.h"

namespace accel::cuda_double::blas {

namespace cuda = ::accel::runtime::cuda;

// 0 for a type that no supported product has.
size_t ElementBytes(int type);
bool IsFp8(int type);

// Requires: ElementBytes(type) != 0, and so many bytes at `at`, in any
// alignment.
float LoadElement(int type, const std::byte* at);
// Rounds to nearest even. An fp8 type saturates instead of overflowing, as
// cuBLASLt's conversions to it do.
void StoreElement(int type, float value, std::byte* at);
// What LoadElement gives after StoreElement.
float RoundToElement(int type, float value);

// The nearest number with 10 bits of mantissa, ties to even.
float RoundToTf32(float value);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_ELEMENTS_H_
