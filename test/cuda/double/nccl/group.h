// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread calls between ncclGroupStart and ncclGroupEnd. A call outside
// of a group is a group of its own.
//
// The double is stricter than NCCL in one point: the collectives that a group
// has for one communicator are on one stream.
//
// Errors:  a call that fails makes its whole group fail, and nothing of the
//          group is enqueued.
// Threads: each has a group of its own.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_GROUP_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_GROUP_H_

#include <memory>

#include "test/cuda/double/nccl/communicator.h"

namespace accel::cuda_double::nccl {

cuda::NcclResult StartGroup();
cuda::NcclResult EndGroup();

// Says that a call of the thread's group has failed; returns `result`.
cuda::NcclResult FailGroup(cuda::NcclResult result);

// Checks a collective, and starts it at the end of the group.
cuda::NcclResult AddCollective(cuda::NcclComm communicator,
                               const Collective& collective,
                               cuda::StreamHandle stream);

// Refuses a rank's joining in a group that has collectives.
cuda::NcclResult CheckMayJoin();

// Waits for the other ranks at the end of the group, if the communicator is
// blocking. If that fails, the communicator ends and the handle becomes null.
cuda::NcclResult AddJoining(cuda::NcclComm* communicator);

// Refuses a call that ends a communicator which the thread's open group uses.
cuda::NcclResult CheckNotGrouped(const Communicator& communicator,
                                 const char* entry);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_GROUP_H_
