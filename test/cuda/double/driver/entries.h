// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the exported functions, so that the compiler holds their definitions
// against the list in driver.h.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENTRIES_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENTRIES_H_

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/enqueue.h"

#define ACCEL_DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

// The definitions name the types as the list does.
using namespace accel::runtime::cuda;  // NOLINT

#define ACCEL_DOUBLE_DECLARE(name, ...) \
  ACCEL_DOUBLE_EXPORT Result name(__VA_ARGS__);
ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_DOUBLE_DECLARE)
#undef ACCEL_DOUBLE_DECLARE

namespace accel::cuda_double {

// Whether failures can be asked for under this name. What other libraries call
// their functions is theirs to know.
inline bool IsEntry(absl::string_view name) {
  for (absl::string_view other : {"cublas", "cudnn", "nccl"}) {
    if (absl::StartsWith(name, other)) {
      return true;
    }
  }
#define ACCEL_DOUBLE_NAME(entry, ...) \
  if (name == #entry) {               \
    return true;                      \
  }
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_DOUBLE_NAME)
#undef ACCEL_DOUBLE_NAME
  return false;
}

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENTRIES_H_
