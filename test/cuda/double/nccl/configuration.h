// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment asks of the double of NCCL beside what it asks of that
// of the driver. It is read once, when the process first calls NCCL.
//
//   ACCEL_DOUBLE_NCCL_VERSION=21805    what ncclGetVersion says; 22800
//   ACCEL_DOUBLE_NCCL_ASYNC=CODE@N     the Nth collective that a rank begins,
//                                      from 1, never ends, and
//                                      ncclCommGetAsyncError says CODE from
//                                      then on
//   ACCEL_DOUBLE_NCCL_ASYNC=CODE@N/R   the same, on rank R alone
//   ACCEL_DOUBLE_NCCL_ORDER=gpu        the operations of all communicators of a
//                                      GPU are executed one at a time, in the
//                                      order of the calls, as if each filled
//                                      the GPU; communicator: only those of one
//                                      are, which is the default
//   ACCEL_DOUBLE_SEED                  also decides how often a communicator
//                                      that is not blocking says ncclInProgress
//
// Errors: a name or a value that is not one of these ends the process.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_CONFIGURATION_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_CONFIGURATION_H_

#include <cstdint>

namespace accel::cuda_double::nccl {

struct Configuration {
  int version = 22800;
  uint64_t seed = 0;
  int async_code = 0;  // 0: none
  uint64_t async_number = 0;
  int async_rank = -1;  // -1: every rank
  bool is_ordered_by_gpu = false;
};

// Threads: may be called from every thread.
const Configuration& TheConfiguration();

// A hash of three numbers, the same on every machine.
uint64_t Hash(uint64_t a, uint64_t b, uint64_t c);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_CONFIGURATION_H_
