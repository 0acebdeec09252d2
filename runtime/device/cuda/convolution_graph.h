// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cuDNN is told of a convolution.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_GRAPH_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_GRAPH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/device/cuda/convolution_engines.h"
#include "runtime/device/cuda/cudnn.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime::cuda {

// What cuDNN calls the tensors of a convolution.
inline constexpr int64_t kImageId = 1;
inline constexpr int64_t kWeightsId = 2;
inline constexpr int64_t kOutputId = 3;

// An operation graph of one operation, finalized. Unimplemented for element
// types that cuDNN is not called for. Borrows: the library.
absl::StatusOr<DnnObject> MakeConvolutionGraph(
    const Cudnn& library, const planpb::Convolution& convolution, bool adds,
    const ConvolutionAlignment& alignment);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CONVOLUTION_GRAPH_H_
