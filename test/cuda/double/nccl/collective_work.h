// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation of a communicator on its way to a stream of the double of the
// driver: it begins in the stream's turn, by copying what the rank contributes
// to the segment, and ends once all ranks have begun theirs.
//
// Threads: may be called from every thread that holds no lock of the double.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_WORK_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_WORK_H_

#include <memory>

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::cuda_double::nccl {

class Communicator;
struct Launch;

// Requires: the collectives have been checked.
runtime::cuda::NcclResult Enqueue(std::shared_ptr<Communicator> communicator,
                                  const Launch& launch);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_COLLECTIVE_WORK_H_
