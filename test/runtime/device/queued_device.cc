// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's code on memory and streams of its own.
#include "test/runtime/device/queued_device.h"

#include <utility>

#include "runtime/base/status_macros.h"
#include "test/runtime/device/queued_streams.h"

namespace accel::testing {
namespace {

std::unique_ptr<runtime::CpuDevice> MakeHost(runtime::Vfs& vfs) {
  runtime::CpuDeviceOptions options;
  options.threads = 1;
  return runtime::CpuDevice::Create(vfs, options).value();
}

}  // namespace

QueuedDevice::QueuedDevice(runtime::Vfs& vfs,
                           const QueuedDeviceOptions& options)
    : options_(options), host_(MakeHost(vfs)) {}

absl::StatusOr<int> QueuedDevice::ChooseVariant(
    const runtime::PlanView& plan) const {
  return host_->ChooseVariant(plan);
}

absl::StatusOr<std::unique_ptr<runtime::DeviceCode>> QueuedDevice::LoadCode(
    const runtime::Plan& plan) {
  return host_->LoadCode(plan);
}

absl::StatusOr<std::unique_ptr<runtime::DeviceMemory>> QueuedDevice::Allocate(
    const runtime::PlanView& plan, const runtime::MemoryLayout& layout,
    const runtime::SharedAllocator& shared) {
  ASSIGN_OR_RETURN(auto memory,
                   runtime::CpuMemory::Create(plan, layout, shared));
  return std::make_unique<QueuedMemory>(std::move(memory));
}

absl::Status QueuedDevice::CheckMemory(const runtime::MemoryLayout& layout,
                                       uint64_t sharing) const {
  return host_->CheckMemory(layout, sharing);
}

absl::StatusOr<std::unique_ptr<runtime::StreamGroup>>
QueuedDevice::CreateStreams(const runtime::PlanView& plan,
                            const runtime::DeviceCode& code,
                            runtime::DeviceMemory& memory,
                            runtime::StreamClient& client,
                            const runtime::StreamOptions& options) {
  return std::make_unique<QueuedStreams>(
      plan, static_cast<const runtime::CpuCode&>(code),
      static_cast<QueuedMemory&>(memory), client, options, options_);
}

absl::StatusOr<runtime::Roofline> QueuedDevice::MeasureRoofline() {
  return absl::UnimplementedError("the queued device has no roofline");
}

}  // namespace accel::testing
