// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a plan's variant, as the driver has loaded them.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_CODE_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_CODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda/gpu.h"
#include "runtime/device/device.h"
#include "runtime/plan/plan.h"

namespace accel::runtime::cuda {

// A kernel's code and how it is cut; without a function where a library is
// called.
struct CudaKernel {
  Function function = nullptr;
  uint64_t tiles = 1;
  uint32_t threads = 0;  // of a block: a warp for each tile
};

class CudaCode : public DeviceCode {
 public:
  // Reads, hashes and loads the code of a variant of the plan. PTX is compiled
  // by the driver.
  // Borrows: the GPU.
  static absl::StatusOr<std::unique_ptr<CudaCode>> Load(const Gpu& gpu,
                                                        const Plan& plan,
                                                        int variant);
  // Of a plan without kernels.
  explicit CudaCode(const Gpu& gpu) : gpu_(gpu) {}
  ~CudaCode() override;

  std::string variant() const override { return name_; }
  int index() const { return index_; }
  bool calls_products() const { return calls_products_; }
  bool calls_convolutions() const { return calls_convolutions_; }
  // Requires: index is a kernel of the plan.
  const CudaKernel& kernel(uint32_t index) const { return kernels_[index]; }

 private:
  absl::Status LoadModule(const std::string& image);

  const Gpu& gpu_;
  int index_ = 0;
  std::string name_;
  Module module_ = nullptr;
  std::vector<CudaKernel> kernels_;  // per kernel of the plan
  bool calls_products_ = false;
  bool calls_convolutions_ = false;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_CODE_H_
