// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, functions and launches.
#include <cstring>

#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

// CUjit_option has fewer.
constexpr int kMaxJitOption = 64;

// Writes what the JIT compiler says where the options ask for it.
void WriteErrorLog(const std::string& text, unsigned count, const int* options,
                   void** values) {
  char* buffer = nullptr;
  void** size = nullptr;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == kJitErrorLogBuffer) {
      buffer = static_cast<char*>(values[k]);
    } else if (options[k] == kJitErrorLogBufferSizeBytes) {
      size = &values[k];
    }
  }
  if (buffer == nullptr || size == nullptr) {
    return;
  }
  // Options of less than 64 bits are written into the low bytes of the pointer.
  uint32_t bytes = 0;
  std::memcpy(&bytes, size, sizeof(bytes));
  if (bytes == 0) {
    return;
  }
  std::strncpy(buffer, text.c_str(), bytes);
  buffer[bytes - 1] = 0;
  bytes = static_cast<uint32_t>(std::strlen(buffer));
  std::memcpy(size, &bytes, sizeof(bytes));
}

bool AreJitOptions(unsigned count, const int* options, void* const* values) {
  if (count != 0 && (options == nullptr || values == nullptr)) {
    return false;
  }
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] < 0 || options[k] >= kMaxJitOption) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result cuModuleLoadDataEx(Module* module, const void* image, unsigned count,
                          int* options, void** values) {
  Call call("cuModuleLoadDataEx", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (module == nullptr || image == nullptr ||
      !AreJitOptions(count, options, values)) {
    return kErrorInvalidValue;
  }
  if (const Result unsafe = call.CheckUnsafe(); unsafe != kSuccess) {
    return unsafe;
  }
  auto loaded = std::make_shared<LoadedModule>();
  std::string error;
  const Result result =
      LoadModule(*call.device, call.driver().configuration.driver_version,
                 static_cast<const char*>(image), loaded.get(), &error);
  WriteErrorLog(error, count, options, values);
  if (result == kSuccess) {
    *module = call.driver().modules.Add(std::move(loaded));
  }
  return result;
}

Result cuModuleUnload(Module handle) {
  Call call("cuModuleUnload", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  Driver& driver = call.driver();
  const std::shared_ptr<LoadedModule> module = driver.modules.Find(handle);
  if (module == nullptr) {
    return kErrorInvalidHandle;
  }
  Result result = call.CheckUnsafe();
  if (result == kSuccess) {
    result = driver.Synchronise(*module->device);
  }
  if (result != kSuccess) {
    return result;
  }
  module->is_unloaded = true;
  driver.functions.RemoveIf([&module](const LoadedFunction& function) {
    return function.module == module;
  });
  driver.modules.Remove(handle);
  return kSuccess;
}

Result cuModuleGetFunction(Function* function, Module handle,
                           const char* name) {
  const Call call("cuModuleGetFunction", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (function == nullptr || name == nullptr) {
    return kErrorInvalidValue;
  }
  const std::shared_ptr<LoadedModule> module =
      call.driver().modules.Find(handle);
  if (module == nullptr) {
    return kErrorInvalidHandle;
  }
  const accel::ptx::Kernel* kernel = module->program->Find(name);
  if (kernel == nullptr) {
    return kErrorNotFound;
  }
  *function = call.driver().functions.Add(
      std::make_shared<LoadedFunction>(LoadedFunction{module, kernel}));
  return kSuccess;
}

Result cuLaunchKernel(Function handle, unsigned grid_x, unsigned grid_y,
                      unsigned grid_z, unsigned block_x, unsigned block_y,
                      unsigned block_z, unsigned shared_bytes,
                      StreamHandle stream_handle, void** arguments,
                      void** extra) {
  Call call("cuLaunchKernel", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.FindOwn(stream_handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  Driver& driver = call.driver();
  const std::shared_ptr<LoadedFunction> function =
      driver.functions.Find(handle);
  if (function == nullptr || function->module->device != call.device) {
    return kErrorInvalidHandle;
  }
  const accel::ptx::Kernel& kernel = *function->kernel;
  // The arguments packed into one buffer are a form that the double has not.
  if (extra != nullptr ||
      (!kernel.parameters.empty() && arguments == nullptr)) {
    return kErrorInvalidValue;
  }
  accel::ptx::Launch launch;
  launch.grid = {grid_x, grid_y, grid_z};
  launch.block = {block_x, block_y, block_z};
  launch.dynamic_shared_bytes = shared_bytes;
  result = CheckLaunch(kernel, launch);
  if (result != kSuccess) {
    return result;
  }
  launch.AddAll(kernel, arguments);
  return driver.Enqueue(
      *stream, RunKernel(*call.device, *function, std::move(launch), [&driver] {
        return driver.configuration.seed == 0 ? 0 : driver.scheduler.Random();
      }));
}
