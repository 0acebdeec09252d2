// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an entry point begins, and how it says no. What it says is the text of
// ncclGetLastError; a misuse is also a line where the double of the driver
// reports mistakes, because NCCL itself may hang or corrupt data on it.
//
// Threads: all of it may be used from every thread, but not under a lock that a
//          function of a work takes.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_REFUSALS_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_REFUSALS_H_

#include <string>

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::cuda_double::nccl {

namespace cuda = ::accel::runtime::cuda;

// Returns the result that the environment asks for at this call, or a success.
cuda::NcclResult Enter(const char* entry);

// Both return `result`.
cuda::NcclResult Fail(cuda::NcclResult result, const std::string& text);
cuda::NcclResult Misuse(cuda::NcclResult result, const std::string& text);

// Valid until the calling thread asks again.
const char* LastError();

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_REFUSALS_H_
