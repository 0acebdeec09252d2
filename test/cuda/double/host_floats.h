// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats in host memory as numbers of double precision. Nothing of it is shared
// with the doubles.
#ifndef ACCEL_TEST_CUDA_DOUBLE_HOST_FLOATS_H_
#define ACCEL_TEST_CUDA_DOUBLE_HOST_FLOATS_H_

#include <cstddef>

namespace accel::cuda_double {

struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
};

size_t BytesOf(FloatFormat format);
// Half of the distance of 1 and the number after it.
double RoundoffOf(FloatFormat format);
// NaNs and infinities are numbers that are too large.
double Decode(FloatFormat format, const std::byte* at);
// Of numbers that the format has, within its normal ones, and of 0.
void Encode(FloatFormat format, double value, std::byte* at);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_HOST_FLOATS_H_
