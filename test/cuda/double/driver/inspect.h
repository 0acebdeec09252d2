// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the double of libcuda tells the doubles of NVIDIA's other libraries
// beside enqueue.h, and how they report mistakes of the caller. None of these
// calls is an entry point that a failure can be asked for.
//
// Errors:  the codes of the CUDA driver API, where a call returns a code.
// Threads: all may be called from every thread, but not from inside a function
//          of a work.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_INSPECT_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_INSPECT_H_

#include <cstddef>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::cuda_double {

struct StreamState {
  int gpu = 0;
  // Which capture it takes part in; 0: none.
  unsigned long long capture = 0;
  // How often something was enqueued on it or captured from it.
  unsigned long long issues = 0;
};

}  // namespace accel::cuda_double

// The GPU of the calling thread's current context.
extern "C" int accel_double_current_gpu(int* gpu);

// The compute capability of that GPU, also after a mistake has broken its
// context.
extern "C" int accel_double_current_capability(int* major, int* minor);

extern "C" int accel_double_stream_state(
    accel::runtime::cuda::StreamHandle stream,
    accel::cuda_double::StreamState* state);

// Whether all the bytes belong to one allocation of the GPU, or to mapped host
// memory.
extern "C" int accel_double_holds(int gpu, unsigned long long begin,
                                  size_t bytes);

// Writes a line where mistakes are written.
extern "C" void accel_double_report(const char* text);

// Executes a few operations, as a query of a stream does.
extern "C" void accel_double_progress();

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_INSPECT_H_
