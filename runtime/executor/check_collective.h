// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the executor and its communicator can do a collective of a plan.
#ifndef ACCEL_RUNTIME_EXECUTOR_CHECK_COLLECTIVE_H_
#define ACCEL_RUNTIME_EXECUTOR_CHECK_COLLECTIVE_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"

namespace accel::runtime {

// Kind, reduction, ranks, and that input and output have the sizes that they
// must have on this rank: the whole tensor exactly, a part exactly or in the
// buffer of a shard, which may be larger than what the last ranks own.
absl::Status CheckCollective(const MemoryLayout& layout,
                             const planpb::Instruction& instruction,
                             const planpb::Collective& collective);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_CHECK_COLLECTIVE_H_
