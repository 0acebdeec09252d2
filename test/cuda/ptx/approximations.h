// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The approximate instructions: ex2, lg2, sin, cos, tanh, and the .approx forms
// of rcp, rsqrt, sqrt and div.
#ifndef ACCEL_TEST_CUDA_PTX_APPROXIMATIONS_H_
#define ACCEL_TEST_CUDA_PTX_APPROXIMATIONS_H_

#include "test/cuda/ptx/decoder.h"

namespace accel::ptx {

// Each takes the .approx form (or div.full) and returns true, or takes nothing
// and returns false.
bool DecodeApproximateSqrt(Decoder& decoder);
bool DecodeApproximateReciprocal(Decoder& decoder);
bool DecodeApproximateDivision(Decoder& decoder, Type type);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_APPROXIMATIONS_H_
