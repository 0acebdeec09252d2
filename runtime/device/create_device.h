// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the device of a rank. Nothing else knows which kinds there are.
#ifndef ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/device/available_memory.h"
#include "runtime/device/device.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Which device executes a plan.
enum class DeviceChoice {
  kPlanned,  // the one that its first code variant is for
  kCpu,
};

// A device takes the code for another one's place only if that was asked for.
// Says nothing of whether there is one, nor whether it runs the plan's code.
planpb::DeviceKind ChooseDevice(const PlanView& plan, DeviceChoice choice);

struct DeviceOptions {
  planpb::DeviceKind kind = planpb::DEVICE_CPU;
  // Of the rank; 0: its share of the cores that the process may use.
  int threads = 0;
  // That share these cores.
  int ranks = 1;
  std::function<AvailableMemory(Vfs&)> available_memory = ReadAvailableMemory;

  // CUDA: which GPU, and how many ranks share it.
  int gpu = 0;
  int ranks_on_gpu = 1;
  CollectivesChoice collectives = CollectivesChoice::kAuto;
  // Shared by those of this process: whether one of them has given the GPU up,
  // which then nobody waits for. Null: nobody shares it.
  std::shared_ptr<std::atomic<bool>> gpu_is_abandoned;
  // NVIDIA's libraries lie here; empty: where the loader looks, then in the
  // packages of this Python environment, if there is one.
  std::string cuda_libs;
  std::string python_environment;
};

// Unimplemented for a kind of device that this build knows nothing of.
// Borrows: the vfs.
absl::StatusOr<std::unique_ptr<Device>> CreateDevice(
    Vfs& vfs, const DeviceOptions& options);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_
