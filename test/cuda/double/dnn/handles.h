// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contexts of the library that callers know by handles.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_HANDLES_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_HANDLES_H_

#include <optional>

#include "test/cuda/double/dnn/abi.h"

namespace accel::cuda_double::dnn {

struct LibraryContext {
  int gpu = 0;
  cuda::StreamHandle stream = nullptr;
};

// Nothing for a handle that is none.
std::optional<LibraryContext> FindHandle(Handle handle);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_HANDLES_H_
