// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the double of libcuda offers to the doubles of NVIDIA's other libraries
// (cuBLASLt, cuDNN, NCCL): work of theirs on its streams, and failures on
// request. They find both symbols with dlsym in the library that is already
// loaded.
//
// Before:  `stream` is a stream of the double, in the current context of the
//          calling thread.
// Errors:  the codes of the CUDA driver API.
// Threads: both may be called from every thread, but not from inside a function
//          of a work: those are called under the lock of the double.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENQUEUE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENQUEUE_H_

#include <cstddef>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::cuda_double {

// Bytes of device memory or of mapped host memory that a work reads, or writes.
// A range that is read and written has two entries; a range of no bytes is
// ignored.
struct Access {
  unsigned long long begin;
  size_t bytes;
  int writes;
};

// What `Work::ready` answers.
enum : int {
  kWorkWaits = 0,
  kWorkIsReady = 1,
  // `run` is not called, and what the work would have written is garbage.
  kWorkIsAbandoned = 2,
};

// Work of another library on a stream: executed in the stream's turn, or
// captured as a node and then executed at every replay. Name and accesses are
// copied at the call. `run` may dereference the device pointers of its
// accesses: device memory is host memory in the double. `destroy`, which may be
// null, is called once when `run` will not be called again; after an error of
// the enqueue it is never called, and `data` remains the caller's.
//
// What is below `destroy` is for work that waits for somebody else, such as a
// collective; null and 0 leave it out.
struct Work {
  const char* name;
  const Access* accesses;
  size_t access_count;
  void (*run)(void* data);
  void* data;
  void (*destroy)(void* data);
  // Called again and again once the work is next in its stream and its accesses
  // are right, until it does not wait any more. Other streams go on meanwhile.
  int (*ready)(void* data) = nullptr;
  // Called before `run`: null, or what is wrong, which breaks the context
  // instead. The text lives until `destroy`.
  const char* (*mistake)(void* data) = nullptr;
  // Called whenever the work, or a graph that holds it, is enqueued.
  void (*enqueued)(void* data) = nullptr;
  // Works of one chain are executed in the order in which they, or the graphs
  // that hold them, are enqueued. That orders none of their accesses.
  unsigned long long chain = 0;
  // 1: the context is the stream's, not the thread's, and the accesses are to
  // memory of the stream's device alone, mapped host memory included.
  int of_stream = 0;
  // So much longer it takes, by the clock of events.
  unsigned long long nanoseconds = 0;
};

}  // namespace accel::cuda_double

// Returns a Result of the driver API.
extern "C" int accel_double_enqueue(accel::runtime::cuda::StreamHandle stream,
                                    const accel::cuda_double::Work* work);

// Counts a call of an entry point of any library and returns 0, or the code
// that ACCEL_DOUBLE_FAIL asks for at this call of it.
extern "C" int accel_double_fails(const char* entry);

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_ENQUEUE_H_
