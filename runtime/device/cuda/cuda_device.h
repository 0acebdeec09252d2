// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as a device.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_

#include <atomic>
#include <memory>
#include <string>

#include "runtime/device/cuda/cublaslt.h"
#include "runtime/device/cuda/gpu.h"
#include "runtime/device/cuda/shared_library.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

struct CudaDeviceOptions {
  LibrarySearch libraries;
  // Of those that the driver shows.
  int gpu = 0;
  // Ranks that share it, each with its part of the memory that is free now.
  int ranks_on_gpu = 1;
  CollectivesChoice collectives = CollectivesChoice::kAuto;
  // Shared by them, if they are of one process: whether one has given it up.
  std::shared_ptr<std::atomic<bool>> is_abandoned =
      std::make_shared<std::atomic<bool>>(false);
};

class CudaDevice : public Device {
 public:
  // Opens the driver and makes a context. Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<CudaDevice>> Create(
      Vfs& vfs, const CudaDeviceOptions& options);

  std::string Describe() const override;
  // A launch is one piece of work, whatever the GPU makes of it.
  int threads() const override { return 1; }

  absl::StatusOr<int> ChooseVariant(const PlanView& plan) const override;
  absl::StatusOr<std::unique_ptr<DeviceCode>> LoadCode(
      const Plan& plan) override;
  absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(
      const PlanView& plan, const MemoryLayout& layout,
      const SharedAllocator& shared = nullptr) override;
  absl::Status CheckMemory(const MemoryLayout& layout,
                           uint64_t sharing) const override;
  absl::StatusOr<std::unique_ptr<StreamGroup>> CreateStreams(
      const PlanView& plan, const DeviceCode& code, DeviceMemory& memory,
      StreamClient& client, const StreamOptions& options) override;
  absl::StatusOr<TunedProducts> TuneProducts(
      const PlanView& plan, const MemoryLayout& layout,
      const TuningOptions& options) override;
  bool HasRoofline() const override { return false; }
  absl::StatusOr<Roofline> MeasureRoofline() override;
  uint64_t RooflineMemoryBytes() const override { return 0; }

 private:
  CudaDevice(Vfs& vfs, const CudaDeviceOptions& options)
      : vfs_(vfs), options_(options) {}

  TuningMachine Machine(const CublasLt& library) const;
  // For this rank.
  uint64_t FreeBytes() const;
  absl::Status NoRoom(const MemoryLayout& layout) const;

  Vfs& vfs_;
  const CudaDeviceOptions options_;
  std::unique_ptr<Gpu> gpu_;
  Gpu::Memory memory_;  // when the device was made
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_
