// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that spoils what one instruction of a step writes, each time that it
// is executed: the machine whose faults a run has to name.
#ifndef ACCEL_TEST_COMPILER_FAULTYDEVICE_H
#define ACCEL_TEST_COMPILER_FAULTYDEVICE_H

#include "runtime/device/create_device.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace accel::test {

/// What is spoiled; changed between steps only.
struct Spoiling {
  bool isActive = false;
  int rank = 0;
  const planpb::Instruction *instruction = nullptr;
  int access = 0;
  float value = 0;
  uint64_t element = 0; ///< of what the access touches, at most its last one
};

/// Stands between a device's streams and who enqueues on them.
class SpoilingClient : public runtime::StreamClient {
public:
  SpoilingClient(runtime::StreamClient &client, runtime::DeviceMemory &memory,
                 runtime::MemoryLayout layout, const Spoiling &spoiling,
                 int rank)
      : client(client), memory(memory), layout(std::move(layout)),
        spoiling(spoiling), rank(rank) {}

  void Begin(const runtime::Instance &instance) override {
    client.Begin(instance);
  }
  absl::Status Issue(const runtime::Instance &instance,
                     runtime::Operations &operations) override {
    return client.Issue(instance, operations);
  }
  absl::Status Finish(const runtime::Instance &instance,
                      Clock::time_point begin, Clock::time_point end) override {
    if (spoiling.isActive && rank == spoiling.rank &&
        instance.instruction == spoiling.instruction) {
      runtime::ByteRange range = layout.RangeOf(
          instance.instruction->accesses(spoiling.access), instance.iteration);
      uint64_t element =
          std::min(spoiling.element, range.size() / sizeof(float) - 1);
      range.begin += element * sizeof(float);
      range.end = range.begin + sizeof(float);
      absl::Status status = memory.Write(
          range, absl::MakeConstSpan(
                     reinterpret_cast<const std::byte *>(&spoiling.value),
                     sizeof(float)));
      if (!status.ok()) {
        return status;
      }
    }
    return client.Finish(instance, begin, end);
  }
  std::string Describe(const runtime::Instance &instance) const override {
    return client.Describe(instance);
  }
  std::string DescribeWait(uint32_t event,
                           const runtime::Instance &waiter) const override {
    return client.DescribeWait(event, waiter);
  }

private:
  runtime::StreamClient &client;
  runtime::DeviceMemory &memory;
  runtime::MemoryLayout layout;
  const Spoiling &spoiling;
  int rank;
};

/// Everything but streams is that of the device beneath.
class FaultyDevice : public runtime::Device {
public:
  FaultyDevice(std::unique_ptr<runtime::Device> device,
               const Spoiling &spoiling, int rank)
      : device(std::move(device)), spoiling(spoiling), rank(rank) {}

  std::string Describe() const override { return device->Describe(); }
  int threads() const override { return device->threads(); }
  absl::StatusOr<int>
  ChooseVariant(const runtime::PlanView &plan) const override {
    return device->ChooseVariant(plan);
  }
  absl::StatusOr<std::unique_ptr<runtime::DeviceCode>>
  LoadCode(const runtime::Plan &plan) override {
    return device->LoadCode(plan);
  }
  absl::StatusOr<std::unique_ptr<runtime::DeviceMemory>>
  Allocate(const runtime::PlanView &plan, const runtime::MemoryLayout &layout,
           const runtime::SharedAllocator &shared) override {
    this->layout.emplace(layout);
    return device->Allocate(plan, layout, shared);
  }
  absl::Status CheckMemory(const runtime::MemoryLayout &layout,
                           uint64_t sharing) const override {
    return device->CheckMemory(layout, sharing);
  }
  absl::StatusOr<std::unique_ptr<runtime::StreamGroup>>
  CreateStreams(const runtime::PlanView &plan, const runtime::DeviceCode &code,
                runtime::DeviceMemory &memory, runtime::StreamClient &client,
                const runtime::StreamOptions &options) override {
    spoiler = std::make_unique<SpoilingClient>(client, memory, *layout,
                                               spoiling, rank);
    return device->CreateStreams(plan, code, memory, *spoiler, options);
  }
  absl::StatusOr<runtime::Roofline> MeasureRoofline() override {
    return device->MeasureRoofline();
  }
  uint64_t RooflineMemoryBytes() const override {
    return device->RooflineMemoryBytes();
  }

private:
  std::unique_ptr<runtime::Device> device;
  const Spoiling &spoiling;
  int rank;
  std::optional<runtime::MemoryLayout> layout;
  std::unique_ptr<SpoilingClient> spoiler;
};

} // namespace accel::test

#endif
