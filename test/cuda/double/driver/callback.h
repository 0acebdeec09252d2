// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this thread executes a function of the caller's, from which CUDA must
// not be called.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_CALLBACK_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_CALLBACK_H_

namespace accel::cuda_double {

// A library with thread-local variables that have destructors cannot be
// unloaded before the thread ends; this one has none.
inline thread_local bool inside_callback = false;

class InsideCallback {
 public:
  InsideCallback() { inside_callback = true; }
  ~InsideCallback() { inside_callback = false; }
  InsideCallback(const InsideCallback&) = delete;
  InsideCallback& operator=(const InsideCallback&) = delete;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_CALLBACK_H_
