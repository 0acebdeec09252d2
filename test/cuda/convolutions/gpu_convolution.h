// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of f32 on a GPU that is a double, and by loops.
#ifndef ACCEL_TEST_CUDA_CONVOLUTIONS_GPU_CONVOLUTION_H_
#define ACCEL_TEST_CUDA_CONVOLUTIONS_GPU_CONVOLUTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/device/cuda/convolution_engines.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::testing {

// A GPU with cuDNN. Without one for tests whose library cannot be opened.
class ConvolutionGpu {
public:
  static absl::StatusOr<std::unique_ptr<ConvolutionGpu>> Open();
  ~ConvolutionGpu();

  const runtime::cuda::Gpu &gpu() const { return *gpu_; }
  const runtime::cuda::Cudnn &library() const { return *library_; }

  struct Tensors {
    std::vector<float> image, weights, output;
  };
  // What they hold behind a call.
  absl::StatusOr<Tensors> Run(const runtime::cuda::ConvolutionEngine &engine,
                              Tensors tensors, uint64_t workspace_bytes);

private:
  std::unique_ptr<runtime::cuda::Gpu> gpu_;
  std::unique_ptr<runtime::cuda::Cudnn> library_;
  runtime::cuda::StreamHandle stream_ = nullptr;
};

struct ConvolutionShape {
  uint64_t samples, channels, filters;
  std::vector<uint64_t> places, windows, strides, dilations;
};

// Channels last, without gaps.
planpb::Convolution MakeConvolution(planpb::Convolution::Direction direction,
                                    const ConvolutionShape &shape);

// Small numbers, of which products and sums are exact in f32 but not in TF32.
ConvolutionGpu::Tensors MakeTensors(const ConvolutionShape &shape);

// By loops in double; the result is added to what is there.
void AddByLoops(planpb::Convolution::Direction direction,
                const ConvolutionShape &shape,
                ConvolutionGpu::Tensors &tensors);

} // namespace accel::testing

#endif // ACCEL_TEST_CUDA_CONVOLUTIONS_GPU_CONVOLUTION_H_
