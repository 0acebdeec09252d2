// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan's instructions take at most, so that nothing is allocated in a
// step.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PLAN_NEEDS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PLAN_NEEDS_H_

#include <cstdint>

#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime::cuda {

// Of one copy from the host: a megabyte at least.
uint64_t MostFetchedBytes(const PlanView& plan, const MemoryLayout& layout);

// Of the collectives of a stream.
CollectiveNeeds NeedsOfCollectives(const PlanView& plan,
                                   const MemoryLayout& layout, uint32_t stream);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PLAN_NEEDS_H_
