// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long engines take by the driver's clock, so that a test knows which one a
// program that measures them has to find.
//
//   ACCEL_DOUBLE_DNN_TIMES=ENGINE=MICROSECONDS,...   so much longer than others
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINE_TIMES_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINE_TIMES_H_

#include <cstdint>

namespace accel::cuda_double::dnn {

// Besides what every work takes, of the engine with that global index. A value
// of the variable that is none ends the process.
uint64_t ExtraNanoseconds(int64_t engine);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINE_TIMES_H_
