// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the operands of kernels lie, over all launches of a plan.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CALL_LAUNCHES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CALL_LAUNCHES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime::cuda {

// Of a buffer, which take turns, iteration after iteration
// (validate_memory.cc).
inline constexpr uint64_t kMostCopies = 16;

// No load of a GPU is wider.
inline constexpr uint32_t kWidestLoad = 16;

using RangeOfOperand = absl::FunctionRef<ByteRange(uint32_t)>;

// Calls `visit` with the kernel of each launch and the places of its operands,
// once for each copy of its buffers.
void ForEachLaunch(const PlanView& plan, const MemoryLayout& layout,
                   absl::FunctionRef<void(uint32_t, RangeOfOperand)> visit);

// The largest power of two that divides both.
uint32_t WorseAlignment(uint32_t alignment, uint64_t address);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CALL_LAUNCHES_H_
