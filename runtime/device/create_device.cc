// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of devices.
#include "runtime/device/create_device.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/device/cpu/cpu_device.h"
#include "runtime/device/cuda/cuda_device.h"

namespace accel::runtime {
namespace {

absl::StatusOr<std::unique_ptr<Device>> CreateCpu(
    Vfs& vfs, const DeviceOptions& options) {
  CpuDeviceOptions cpu;
  cpu.threads = options.threads;
  if (cpu.threads == 0) {
    cpu.threads = std::max(1, AvailableCores() / options.ranks);
  }
  cpu.available_memory = options.available_memory;
  return CpuDevice::Create(vfs, cpu);
}

absl::StatusOr<std::unique_ptr<Device>> CreateCuda(
    Vfs& vfs, const DeviceOptions& options) {
  cuda::CudaDeviceOptions own;
  own.libraries = {options.cuda_libs, options.python_environment};
  own.gpu = options.gpu;
  own.ranks_on_gpu = options.ranks_on_gpu;
  own.collectives = options.collectives;
  if (options.gpu_is_abandoned != nullptr) {
    own.is_abandoned = options.gpu_is_abandoned;
  }
  return cuda::CudaDevice::Create(vfs, own);
}

}  // namespace

planpb::DeviceKind ChooseDevice(const PlanView& plan, DeviceChoice choice) {
  const auto& variants = plan.manifest().variants();
  return choice == DeviceChoice::kCpu || variants.empty()
             ? planpb::DEVICE_CPU
             : variants[0].device();
}

absl::StatusOr<std::unique_ptr<Device>> CreateDevice(
    Vfs& vfs, const DeviceOptions& options) {
  switch (options.kind) {
    case planpb::DEVICE_CPU:
      return CreateCpu(vfs, options);
    case planpb::DEVICE_CUDA:
      return CreateCuda(vfs, options);
    default:
      return absl::UnimplementedError(
          absl::StrCat("no device of kind ", static_cast<int>(options.kind)));
  }
}

}  // namespace accel::runtime
