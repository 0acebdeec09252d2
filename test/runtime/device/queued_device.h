// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device as unlike the CPU's as its interface allows, for tests: instructions
// are issued while they are enqueued, so that operations wait in queues, and
// one thread carries these out in an order drawn at random that respects
// nothing but streams and events. Its memory is reached by copies only.
#ifndef ACCEL_TEST_RUNTIME_DEVICE_QUEUED_DEVICE_H_
#define ACCEL_TEST_RUNTIME_DEVICE_QUEUED_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/cpu/cpu_device.h"

namespace accel::testing {

struct QueuedDeviceOptions {
  // Of the order.
  uint64_t seed = 0;
  // Parts that launches are cut into, the last one first.
  int threads = 3;
  // Nothing begins before somebody synchronizes; then the queues are as long as
  // they can be.
  bool lazy = true;
  // What the streams say of having no work; none: how long data are waited for
  // is not known.
  std::optional<bool> is_out_of_work = std::nullopt;
};

class QueuedDevice : public runtime::Device {
 public:
  // Borrows: the vfs.
  QueuedDevice(runtime::Vfs& vfs, const QueuedDeviceOptions& options);

  std::string Describe() const override { return "queued device"; }
  int threads() const override { return options_.threads; }
  absl::StatusOr<int> ChooseVariant(
      const runtime::PlanView& plan) const override;
  absl::StatusOr<std::unique_ptr<runtime::DeviceCode>> LoadCode(
      const runtime::Plan& plan) override;
  absl::StatusOr<std::unique_ptr<runtime::DeviceMemory>> Allocate(
      const runtime::PlanView& plan, const runtime::MemoryLayout& layout,
      const runtime::SharedAllocator& shared = nullptr) override;
  absl::Status CheckMemory(const runtime::MemoryLayout& layout,
                           uint64_t sharing) const override;
  absl::StatusOr<std::unique_ptr<runtime::StreamGroup>> CreateStreams(
      const runtime::PlanView& plan, const runtime::DeviceCode& code,
      runtime::DeviceMemory& memory, runtime::StreamClient& client,
      const runtime::StreamOptions& options) override;
  absl::StatusOr<runtime::Roofline> MeasureRoofline() override;
  uint64_t RooflineMemoryBytes() const override { return 0; }

 private:
  const QueuedDeviceOptions options_;
  // Knows which code this machine executes.
  const std::unique_ptr<runtime::CpuDevice> host_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_DEVICE_QUEUED_DEVICE_H_
