// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank contributes to an operation: which collectives it takes that to
// be, and the bytes that it sends. The peers read both in the segment.
//
// Threads: a rank publishes before it says that it has begun; then every thread
//          may read, as long as segment.h says.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_CONTRIBUTION_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_CONTRIBUTION_H_

#include <string>
#include <vector>

#include "test/cuda/double/nccl/collective.h"
#include "test/cuda/double/nccl/segment.h"

namespace accel::cuda_double::nccl {

struct Operation {
  std::vector<Collective> group;
  bool is_captured = false;
};

// Copies the contribution and says that the rank has begun.
void Publish(Segment& segment, const Rank& rank, uint64_t position,
             const Operation& operation);

// In what another rank's operation at this position differs, or nothing.
std::string FindMismatch(Segment& segment, const Rank& rank, uint64_t position,
                         const Operation& operation);

// Writes what the rank receives.
// Requires: FindMismatch finds nothing.
void Receive(Segment& segment, const Rank& rank, uint64_t position,
             const Operation& operation);

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_CONTRIBUTION_H_
