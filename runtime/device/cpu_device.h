// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU as a device: a team of threads, memory, and the programs of plans.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_CPU_DEVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/available_memory.h"
#include "runtime/device/code_image.h"
#include "runtime/device/cpu_features.h"
#include "runtime/device/cpu_memory.h"
#include "runtime/device/device.h"
#include "runtime/device/thread_team.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

struct CpuDeviceOptions {
  int threads = 0;  // 0: one per core that the process may use
  // For tests: another machine.
  std::function<CpuDescription()> describe_cpu = DescribeHostCpu;
  std::function<AvailableMemory(Vfs&)> available_memory = ReadAvailableMemory;
};

// The code of a plan, ready to be called.
struct CpuProgram {
  std::string variant;
  std::vector<CodeImage> images;        // of the chosen variant
  std::vector<KernelFunction> kernels;  // per kernel of the plan
  uint64_t code_bytes = 0;
};

class CpuDevice : public Device {
 public:
  // Starts the threads of its team.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<CpuDevice>> Create(
      Vfs& vfs, const CpuDeviceOptions& options);

  std::string Describe() const override;
  int threads() const override { return team_.threads(); }
  const ThreadTeam& team() const { return team_; }

  absl::StatusOr<int> ChooseVariant(const PlanView& plan) const override;
  absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(
      const PlanView& plan, const MemoryLayout& layout) override;
  // The same, with the type that CPU executors need. What `shared` gives counts
  // once for all ranks: each is asked for its share of it.
  absl::StatusOr<std::unique_ptr<CpuMemory>> AllocateCpu(
      const PlanView& plan, const MemoryLayout& layout,
      const SharedAllocator& shared = nullptr);

  // Maps the code of the best variant that this processor runs.
  absl::StatusOr<CpuProgram> LoadProgram(const Plan& plan) const;

 private:
  CpuDevice(Vfs& vfs, const CpuDeviceOptions& options, ThreadTeam team);

  absl::Status LoadKernels(const Plan& plan, CpuProgram& program) const;

  Vfs& vfs_;
  CpuDeviceOptions options_;
  CpuDescription cpu_;
  ThreadTeam team_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_DEVICE_H_
