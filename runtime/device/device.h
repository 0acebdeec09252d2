// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank computes with: a device that says whether it can run a plan, and
// the memory that it gives it. Executors are written for one kind of device;
// everybody else sees these interfaces.
#ifndef ACCEL_RUNTIME_DEVICE_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_DEVICE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/plan/memory_layout.h"
#include "runtime/plan/plan_view.h"

namespace accel::runtime {

// The memory of one rank: all spaces of its layout.
//
// Threads: calls on different ranges may come from different threads.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // Copies from the host, to the host.
  // Requires: the range lies in the layout; both sizes are equal.
  virtual absl::Status Write(const ByteRange& range,
                             absl::Span<const std::byte> src) = 0;
  virtual absl::Status Read(const ByteRange& range,
                            absl::Span<std::byte> dst) const = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  // For people: "cpu, 2 threads".
  virtual std::string Describe() const = 0;
  // Threads of one rank's team.
  virtual int threads() const = 0;

  // Whether the plan has code that this device runs, and which: the variant's
  // index. Unimplemented, naming what is missing, otherwise.
  virtual absl::StatusOr<int> ChooseVariant(const PlanView& plan) const = 0;

  // All memory of the layout, zeroed. ResourceExhausted, naming what is needed
  // and what there is, if it does not fit; then nothing was allocated.
  virtual absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(
      const PlanView& plan, const MemoryLayout& layout) = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_DEVICE_H_
