// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the exported functions. One that is not defined has no symbol, which
// the tests find.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_ENTRY_POINTS_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_ENTRY_POINTS_H_

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::runtime::cuda {

extern "C" {
#define ACCEL_NCCL_DECLARATION(result, name, ...) \
  __attribute__((visibility("default"))) result name(__VA_ARGS__);
ACCEL_NCCL_FUNCTIONS(ACCEL_NCCL_DECLARATION)
#undef ACCEL_NCCL_DECLARATION
}

}  // namespace accel::runtime::cuda

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_ENTRY_POINTS_H_
