// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function cut where its repeats begin and end, and what of each part can be
// in a CUDA graph.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_FUNCTION_PARTS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_FUNCTION_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime::cuda {

struct FunctionPart {
  size_t index = 0;
  bool is_repeated = false;
  // Iterations behind the first touch the same memory after so many.
  uint64_t period = 1;
  // Instructions, in program order: those that a graph holds, and those of
  // streams on which the host produces data.
  std::vector<uint32_t> inside;
  std::vector<uint32_t> outside;

  // Equal for iterations that enqueue the same: the first one stores what the
  // others add to.
  uint64_t KindOf(uint64_t iteration) const {
    return iteration == 0 ? 0 : 1 + iteration % period;
  }
};

// Immutable.
class FunctionParts {
 public:
  FunctionParts(const PlanView& plan, const FunctionView& function);

  absl::Span<const FunctionPart> parts() const { return parts_; }
  // Whether an event is signalled, or waited for, outside of graphs.
  bool IsSignalledOutside(uint32_t event) const { return signalled_[event]; }
  bool IsAwaitedOutside(uint32_t event) const { return awaited_[event]; }

 private:
  void FindOutside(const FunctionView& function);
  void Add(const PlanView& plan, const planpb::Instruction& instruction);

  std::vector<FunctionPart> parts_;
  std::vector<bool> is_outside_;  // per instruction
  std::vector<bool> signalled_;   // per event: outside
  std::vector<bool> awaited_;     // likewise
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_FUNCTION_PARTS_H_
