// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/driver.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/callback.h"
#include "test/cuda/double/driver/entries.h"

namespace accel::cuda_double {
namespace {

using namespace runtime::cuda;  // NOLINT

std::mutex lock;
Driver* process_driver = nullptr;
bool has_ended = false;
std::atomic<uint64_t> threads = 0;
thread_local uint64_t this_thread = 0;
thread_local Context current_context = nullptr;

// Ends the driver when the process or the library ends; threads that go on
// calling it get kErrorDeinitialized.
struct AtEnd {
  ~AtEnd() {
    const std::lock_guard<std::mutex> guard(lock);
    has_ended = true;
    Driver* driver = std::exchange(process_driver, nullptr);
    // The process ends, and a thread that comes back still needs it.
    if (driver != nullptr && !driver->scheduler.IsInUse()) {
      delete driver;
    }
  }
} at_end;

Driver& TheDriver() {
  if (process_driver == nullptr) {
    process_driver = new Driver(Configuration::FromEnvironment(), lock);
  }
  return *process_driver;
}

}  // namespace

uint64_t ThisThread() {
  if (this_thread == 0) {
    this_thread = ++threads;
  }
  return this_thread;
}

void SetCurrentContext(Context context) { current_context = context; }

Driver::Driver(Configuration from, std::mutex& lock)
    : configuration(std::move(from)),
      scheduler(
          configuration, lock, history,
          [this](Device& device, const Fault& fault) { Break(device, fault); },
          [this](uint64_t address) { return NameOf(address); }),
      captures([this](const std::string& text) { Report(text); }),
      report_(configuration.report_path, STDERR_FILENO) {
  for (const Capability& capability : configuration.gpus) {
    devices.push_back(std::make_unique<Device>());
    devices.back()->number = static_cast<int>(devices.size()) - 1;
    devices.back()->capability = capability;
    devices.back()->memory =
        std::make_unique<DeviceMemory>(configuration.memory_bytes);
  }
}

void Driver::Report(const std::string& text) {
  std::string line = absl::StrCat("cuda double: ", text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  report_.Append(std::move(line));
}

Result Driver::Break(Device& device, const Fault& fault) {
  Report(fault.text);
  if (device.broken == kSuccess) {
    device.broken = fault.code;
  }
  scheduler.Drop(device);
  return device.broken;
}

int Driver::CountCall(const std::string& entry) {
  const uint64_t number = ++calls_[entry];
  for (const Nth& failure : configuration.failures) {
    if (failure.name == entry && failure.number == number) {
      return failure.code;
    }
  }
  return 0;
}

Clock& Driver::HostClock() {
  if (configuration.host_order == HostOrder::kSignals) {
    host_clocks_[0].Join(scheduler.signals());
    return host_clocks_[0];
  }
  return host_clocks_[ThisThread()];
}

Result Driver::Enqueue(Stream& stream, SharedTask task,
                       std::shared_ptr<Operation>* operation) {
  if (stream.capture != nullptr) {
    return captures.Add(stream, std::move(task));
  }
  const std::shared_ptr<Operation> pushed =
      scheduler.Push(stream, std::move(task), HostClock());
  if (operation != nullptr) {
    *operation = pushed;
  }
  return kSuccess;
}

Result Driver::Synchronise(Device& device) {
  if (!scheduler.RunUntil([&] { return scheduler.IsIdle(device); })) {
    return Break(device, {kErrorLaunchFailed,
                          absl::StrCat("a call that synchronises with GPU ",
                                       device.number, " waits for ever")});
  }
  Saw(scheduler.ClockOf(device));
  return device.broken;
}

Result Driver::Await(Device& device, const Operation& operation) {
  if (!scheduler.RunUntil([&] { return operation.IsDone(); })) {
    return Break(device, {kErrorLaunchFailed,
                          absl::StrCat("a copy from GPU ", device.number,
                                       " to pageable memory waits for ever")});
  }
  Saw(operation.clock);
  return device.broken;
}

std::string Driver::NameOf(uint64_t address) const {
  const Block* block = host.blocks().Find(address);
  for (size_t k = 0; k < devices.size() && block == nullptr; ++k) {
    block = devices[k]->memory->Find(address);
  }
  return block == nullptr
             ? ""
             : absl::StrCat(" of ", block->name(), " of ", block->bytes(),
                            " bytes at offset ", address - block->begin());
}

Device* Driver::DeviceOf(Context context) {
  for (const auto& device : devices) {
    if (context != nullptr && device->context == context) {
      return device.get();
    }
  }
  return nullptr;
}

void Driver::EndContext(Device& device) {
  captures.Abandon(device);
  scheduler.Drop(device);
  const auto is_of_device = [&device](const auto& object) {
    return object.device == &device;
  };
  functions.RemoveIf([&device](const LoadedFunction& function) {
    return function.module->device == &device;
  });
  executables.RemoveIf([&device](const ExecutableGraph& executable) {
    return executable.graph->device == &device;
  });
  streams.RemoveIf(is_of_device);
  events.RemoveIf(is_of_device);
  modules.RemoveIf(is_of_device);
  graphs.RemoveIf(is_of_device);
  for (const auto& [begin, block] : device.memory->blocks().all()) {
    history.Forget(begin, block->bytes());
  }
  contexts.Remove(std::exchange(device.context, nullptr));
  device.memory = std::make_unique<DeviceMemory>(configuration.memory_bytes);
  for (const auto& [begin, block] : host.blocks().all()) {
    if (host.IsMapped(*block)) {
      device.memory->AddMapped(*block);
    }
  }
  device.broken = kSuccess;
  device.streams_made = 0;
}

std::vector<Device*> Driver::DevicesInUse() {
  std::vector<Device*> in_use;
  for (const auto& device : devices) {
    if (device->context != nullptr) {
      in_use.push_back(device.get());
    }
  }
  return in_use;
}

Call::Call(const char* entry, Needs needs) : entry_(entry) {
  if (inside_callback) {
    // The lock may be held, and what a host function calls is undefined anyway.
    result = kErrorNotPermitted;
    process_driver->Report(
        absl::StrCat(entry, ": a host function must not call the CUDA driver"));
    return;
  }
  lock_ = std::unique_lock<std::mutex>(lock);
  if (has_ended) {
    result = kErrorDeinitialized;
    return;
  }
  driver_ = &TheDriver();
  result = driver_->CountCall(entry);
  if (result != kSuccess || needs == Needs::kNothing) {
    return;
  }
  if (!driver_->is_initialised) {
    result = kErrorNotInitialized;
  } else if (needs == Needs::kContext) {
    device = driver_->DeviceOf(current_context);
    result = device == nullptr ? kErrorInvalidContext : device->broken;
  }
}

Result Call::CheckUnsafe() const {
  return driver_->captures.CheckUnsafe(entry_, ThisThread());
}

Result Call::Find(StreamHandle handle, std::shared_ptr<Stream>* stream) const {
  if (result != kSuccess) {
    return result;
  }
  *stream = driver_->streams.Find(handle);
  return *stream == nullptr ? kErrorInvalidHandle : (*stream)->device->broken;
}

Result Call::FindOwn(StreamHandle handle,
                     std::shared_ptr<Stream>* stream) const {
  const Result found = Find(handle, stream);
  if (found == kSuccess && (*stream)->device != device) {
    return kErrorInvalidHandle;
  }
  return found;
}

}  // namespace accel::cuda_double
