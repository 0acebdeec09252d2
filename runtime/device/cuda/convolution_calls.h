// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's convolutions as calls of cuDNN, whose execution plans are made
// before anything runs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_CALLS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_CALLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/device/cuda/convolution_engines.h"
#include "runtime/device/cuda/cudnn.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime::cuda {

// Threads: one at a time.
class ConvolutionCalls {
 public:
  // Unimplemented, naming the kernel, where cuDNN has no engine for it.
  // Borrows: the plan. Requires: the library's context is current.
  static absl::StatusOr<ConvolutionCalls> Create(std::unique_ptr<Cudnn> library,
                                                 const PlanView& plan,
                                                 int variant,
                                                 const MemoryLayout& layout);

  ConvolutionCalls(ConvolutionCalls&&) noexcept = default;
  ConvolutionCalls& operator=(ConvolutionCalls&&) = delete;

  // What `kernel` computes; null if that is no convolution.
  const planpb::Convolution* convolution(uint32_t kernel) const {
    return calls_[kernel].convolution;
  }

  // The engine of each convolution, by the kernel's name.
  std::map<std::string, std::string> Engines(const PlanView& plan) const;

  // Enqueues the call for `kernel`, whose operands these are. `adds`: to what
  // is in the result's memory.
  absl::Status Run(uint32_t kernel, absl::Span<const DevicePointer> operands,
                   bool adds, StreamHandle stream) const;

 private:
  struct Call {
    const planpb::Convolution* convolution = nullptr;
    uint64_t workspace_bytes = 0;
    // Of each tensor, the largest power of two that divides all its addresses.
    ConvolutionAlignment alignment;
    // Of those that the plan needs, one without addition and one with it.
    ConvolutionEngine stores, adds;
  };

  explicit ConvolutionCalls(std::unique_ptr<Cudnn> library)
      : library_(std::move(library)) {}

  void FindAlignments(const PlanView& plan, const MemoryLayout& layout);
  absl::Status ChooseEngines(Call& call) const;

  std::unique_ptr<Cudnn> library_;
  std::vector<Call> calls_;  // per kernel
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_CALLS_H_
