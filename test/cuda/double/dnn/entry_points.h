// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the exported functions. One that is not defined has no symbol, which
// the tests find.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_ENTRY_POINTS_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_ENTRY_POINTS_H_

#include "test/cuda/double/dnn/abi.h"

namespace accel::cuda_double::dnn {

extern "C" {
#define ACCEL_DNN_DOUBLE_DECLARATION(result, name, ...) \
  __attribute__((visibility("default"))) result name(__VA_ARGS__);
ACCEL_DNN_DOUBLE_FUNCTIONS(ACCEL_DNN_DOUBLE_DECLARATION)
#undef ACCEL_DNN_DOUBLE_DECLARATION
}

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_ENTRY_POINTS_H_
