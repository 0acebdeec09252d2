// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of PTX and their kernels.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_KERNEL_TASK_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_KERNEL_TASK_H_

#include <functional>
#include <memory>
#include <string>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/device.h"
#include "test/cuda/double/driver/task.h"
#include "test/cuda/ptx/interpreter.h"
#include "test/cuda/ptx/module.h"

namespace accel::cuda_double {

struct LoadedModule {
  Device* device = nullptr;
  std::unique_ptr<ptx::Module> program;
  bool is_unloaded = false;
};

struct LoadedFunction {
  std::shared_ptr<LoadedModule> module;
  const ptx::Kernel* kernel = nullptr;
};

// Parses a module for a device, as cuModuleLoadDataEx does; `error` gets what
// the JIT compiler would say.
runtime::cuda::Result LoadModule(Device& device, int driver_version,
                                 const char* image, LoadedModule* module,
                                 std::string* error);

// What cuLaunchKernel refuses before anything is executed.
runtime::cuda::Result CheckLaunch(const ptx::Kernel& kernel,
                                  const ptx::Launch& launch);

// `seed` decides the order of the kernel's blocks and threads. It is called at
// every execution.
SharedTask RunKernel(Device& device, const LoadedFunction& function,
                     ptx::Launch launch, std::function<uint64_t()> seed);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_KERNEL_TASK_H_
