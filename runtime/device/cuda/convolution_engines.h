// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How cuDNN computes a convolution: the engine and its configuration that it
// would choose of those that a plan allows.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_ENGINES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_ENGINES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/cuda/call_launches.h"
#include "runtime/device/cuda/cudnn.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime::cuda {

struct ConvolutionAlignment {
  uint32_t image = kWidestLoad;
  uint32_t weights = kWidestLoad;
  uint32_t output = kWidestLoad;
};

struct ConvolutionPlaces {
  void* image;
  void* weights;
  void* output;
};

// "forward of 4 at 13x11, windows of 3x3, 3 channels to 8, f32 as tf32"
std::string DescribeConvolution(const planpb::Convolution& convolution);

// Threads: one at a time.
class ConvolutionEngine {
 public:
  ConvolutionEngine() = default;

  // The first configuration that cuDNN's heuristics name and that gives the
  // same bits each time, in the precision that the plan asks for, within
  // `workspace_bytes`. Unimplemented, with what the library says, if there is
  // none. `adds`: to what is in the result's memory.
  // Borrows: the library.
  static absl::StatusOr<ConvolutionEngine> Choose(
      const Cudnn& library, const planpb::Convolution& convolution, bool adds,
      const ConvolutionAlignment& alignment, uint64_t workspace_bytes);

  // Enqueues the convolution of tensors that lie there. Requires: it was
  // chosen.
  absl::Status Enqueue(const ConvolutionPlaces& places, void* workspace,
                       StreamHandle stream) const;
  // For people: "engine 67, workspace 131, knobs 24=5 40=2"; "" if none was
  // chosen.
  const std::string& description() const { return description_; }

 private:
  class Search;

  const Cudnn* library_ = nullptr;
  DnnObject plan_;
  std::string description_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_ENGINES_H_
