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
      return cuda::CudaDevice::Create(
          vfs, {{options.cuda_libs, options.python_environment},
                options.gpu,
                options.ranks_on_gpu});
    default:
      return absl::UnimplementedError(
          absl::StrCat("no device of kind ", static_cast<int>(options.kind)));
  }
}

}  // namespace accel::runtime
