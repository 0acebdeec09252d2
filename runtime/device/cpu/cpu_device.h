// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU as a device: a pool of threads, memory of the host, and streams that
// are threads.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/available_memory.h"
#include "runtime/device/cpu/code_image.h"
#include "runtime/device/cpu/cpu_features.h"
#include "runtime/device/cpu/cpu_memory.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/device/device.h"
#include "runtime/device/operations.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

struct CpuDeviceOptions {
  int threads = 0;  // 0: one per core that the process may use
  // For tests: another machine.
  std::function<CpuDescription()> describe_cpu = DescribeHostCpu;
  std::function<AvailableMemory(Vfs&)> available_memory = ReadAvailableMemory;
};

// A kernel's code and how it is cut.
struct CpuKernel {
  KernelFunction function = nullptr;
  uint64_t tiles = 1;
  int64_t grain = 1;
  bool flushes_subnormals = false;
};

class CpuCode : public DeviceCode {
 public:
  // Of a plan without kernels.
  CpuCode() = default;
  // Maps the code of a variant of the plan.
  static absl::StatusOr<std::unique_ptr<CpuCode>> Load(const Plan& plan,
                                                       int variant);

  std::string variant() const override { return variant_; }
  uint32_t kernels() const { return static_cast<uint32_t>(kernels_.size()); }
  // Requires: index < kernels().
  const CpuKernel& kernel(uint32_t index) const { return kernels_[index]; }

 private:
  std::string variant_;
  std::optional<CodeImage> image_;
  std::vector<CpuKernel> kernels_;  // per kernel of the plan
};

class CpuDevice : public Device {
 public:
  // Starts the threads of its pool.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<CpuDevice>> Create(
      Vfs& vfs, const CpuDeviceOptions& options);

  std::string Describe() const override;
  int threads() const override { return pool_.threads(); }

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
  absl::StatusOr<Roofline> MeasureRoofline() override;
  uint64_t RooflineMemoryBytes() const override;

 private:
  CpuDevice(Vfs& vfs, const CpuDeviceOptions& options, ThreadPool pool);

  // What speaks against running a variant here, or "".
  std::string WhyNot(const planpb::Manifest& manifest, int variant) const;

  Vfs& vfs_;
  CpuDeviceOptions options_;
  CpuDescription cpu_;
  ThreadPool pool_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
