// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicators that callers know by handles.
//
// Invariants: no handle is given twice, so that one that was destroyed is never
//             taken for a younger one. None is an address: whoever follows one
//             faults.
// Threads: may be used from every thread.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATORS_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATORS_H_

#include <memory>

#include "test/cuda/double/nccl/communicator.h"

namespace accel::cuda_double::nccl {

cuda::NcclComm AddCommunicator(std::shared_ptr<Communicator> communicator);
// Null if it was destroyed or aborted, or never made.
std::shared_ptr<Communicator> FindCommunicator(cuda::NcclComm handle);
void RemoveCommunicator(cuda::NcclComm handle);

// Finds a communicator for a call; null, and the result and the text of a
// misuse, if there is none.
std::shared_ptr<Communicator> RequireCommunicator(cuda::NcclComm handle,
                                                  const char* entry,
                                                  cuda::NcclResult* result);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATORS_H_
