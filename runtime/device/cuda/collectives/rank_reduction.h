// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of reductions over ranks on a GPU, with the host's bits
// (runtime/comm/reduce.h) but for those of a NaN.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_RANK_REDUCTION_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_RANK_REDUCTION_H_

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dtype.h"
#include "runtime/comm/collective_call.h"
#include "runtime/device/cuda/gpu.h"

namespace accel::runtime::cuda {

// Threads: one at a time.
class RankReduction {
 public:
  // Compiles the kernels, which is done by the driver. Borrows: the GPU.
  static absl::StatusOr<std::unique_ptr<RankReduction>> Create(const Gpu& gpu);
  ~RankReduction();
  RankReduction(const RankReduction&) = delete;
  RankReduction& operator=(const RankReduction&) = delete;

  // Enqueues into[i] = into[i] op next[i]. A NaN stays one, also under max and
  // min.
  // Requires: a type and reduction that ValidateCall accepts; both are aligned
  // for the type.
  absl::Status Fold(DType dtype, CollectiveCall::Reduction reduction,
                    DevicePointer into, DevicePointer next, uint64_t elements,
                    StreamHandle stream) const;

 private:
  explicit RankReduction(const Gpu& gpu) : gpu_(gpu) {}

  static constexpr size_t kTypes = 3;
  static constexpr size_t kReductions = 3;

  const Gpu& gpu_;
  Module module_ = nullptr;
  std::array<std::array<Function, kReductions>, kTypes> functions_ = {};
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_RANK_REDUCTION_H_
