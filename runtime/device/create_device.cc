// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU is the only kind of device.
#include "runtime/device/create_device.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/cpu/cpu_device.h"

namespace accel::runtime {

absl::Status CheckDevice(const PlanView& plan, DeviceChoice choice) {
  const auto& variants = plan.manifest().variants();
  if (choice == DeviceChoice::kCpu || variants.empty() ||
      variants[0].device() == planpb::DEVICE_CPU) {
    return absl::OkStatus();
  }
  const bool has_cpu_code =
      absl::c_any_of(variants, [](const planpb::CodeVariant& variant) {
        return variant.device() == planpb::DEVICE_CPU;
      });
  return absl::UnimplementedError(absl::StrCat(
      "the plan is made for GPUs ('", variants[0].name(),
      "'), which this accel-run cannot use; ",
      has_cpu_code
          ? "accel-run --device=cpu executes the same program on the CPU"
          : "compile the model again with code for CPUs beside it, accelc "
            "MODEL.onnx --target=compute_80,cpu, and execute that with "
            "accel-run --device=cpu"));
}

absl::StatusOr<std::unique_ptr<Device>> CreateDevice(
    Vfs& vfs, const DeviceOptions& options) {
  CpuDeviceOptions cpu;
  cpu.threads = options.threads;
  if (cpu.threads == 0) {
    cpu.threads = std::max(1, AvailableCores() / options.ranks);
  }
  cpu.available_memory = options.available_memory;
  return CpuDevice::Create(vfs, cpu);
}

}  // namespace accel::runtime
