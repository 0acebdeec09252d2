// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the double, and what its entry points have in common.
//
// Nothing runs at the call that enqueues it. Work is executed in the thread
// that queries, that copies to pageable memory, that frees memory or a module,
// or that polls a communicator; scheduler.h says in which order. A host
// function runs there, too, without the double's lock, so that the calling
// thread must not hold a lock of its own that the host function takes. A
// program that waits for what a stream writes to host memory must go on
// querying, since nobody else executes.
//
// Mistakes are reported, one line each, and break the context: that call and
// all later ones that need the context return the same error, and nothing more
// is executed. Misuse of captures and of cuMemFree is reported and only returns
// its documented error.
//
// The double is stricter than NVIDIA's library, or knows less, in these points:
//   - the default stream has no handle here: a null stream is
//     kErrorInvalidHandle;
//   - peer access does not exist: a copy touches the current device alone;
//   - the variables of a module have their initial values at every launch;
//   - a kernel has at most 48 KiB of shared memory;
//   - cuLaunchKernel takes no packed arguments (`extra`);
//   - a call that synchronises with a stalled stream fails and does not hang,
//     unless a work of another library waits for somebody meanwhile;
//   - the rows of cuMemsetD2D32Async must not overlap, even if there is one.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/access_history.h"
#include "test/cuda/double/driver/capture.h"
#include "test/cuda/double/driver/configuration.h"
#include "test/cuda/double/driver/device.h"
#include "test/cuda/double/driver/kernel_task.h"
#include "test/cuda/double/driver/memory.h"
#include "test/cuda/double/driver/scheduler.h"
#include "test/cuda/double/driver/table.h"
#include "test/cuda/double/driver/text_file.h"

namespace accel::cuda_double {

class Driver {
 public:
  using Result = runtime::cuda::Result;

  Driver(Configuration configuration, std::mutex& lock);

  // --- mistakes ---
  void Report(const std::string& text);
  // Reports a mistake and breaks the context; returns the fault's code.
  Result Break(Device& device, const Fault& fault);
  // The code that ACCEL_DOUBLE_FAIL asks for, or 0.
  int CountCall(const std::string& entry);

  // --- work ---
  // Adds work to the stream, or to what it captures. `operation` is null for
  // captured work.
  Result Enqueue(Stream& stream, SharedTask task,
                 std::shared_ptr<Operation>* operation = nullptr);
  // Executes until the device is idle, as calls do that synchronise.
  Result Synchronise(Device& device);
  // Executes until the operation is done.
  Result Await(Device& device, const Operation& operation);
  // The calling thread has seen that this has happened.
  void Saw(const Clock& clock) { HostClock().Join(clock); }
  Clock& HostClock();

  // --- contexts ---
  // " of allocation 3 of 64 bytes at offset 8"
  std::string NameOf(uint64_t address) const;
  Device* DeviceOf(runtime::cuda::Context context);
  void EndContext(Device& device);
  std::vector<Device*> DevicesInUse();

  Configuration configuration;
  std::vector<std::unique_ptr<Device>> devices;
  HostMemory host;
  AccessHistory history;
  Scheduler scheduler;
  Captures captures;
  Table<runtime::cuda::Context, Device*, 1> contexts;
  Table<runtime::cuda::StreamHandle, Stream, 2> streams;
  Table<runtime::cuda::EventHandle, Event, 3> events;
  Table<runtime::cuda::Module, LoadedModule, 4> modules;
  Table<runtime::cuda::Function, LoadedFunction, 5> functions;
  Table<runtime::cuda::Graph, CapturedGraph, 6> graphs;
  Table<runtime::cuda::GraphExec, ExecutableGraph, 7> executables;
  bool is_initialised = false;
  uint64_t waits = 0;

 private:
  TextFile report_;
  std::map<std::string, uint64_t> calls_;
  std::map<uint64_t, Clock> host_clocks_;  // by the number of the thread
};

enum class Needs { kNothing, kInit, kContext };

// One call of an entry point. It holds the driver's lock.
class Call {
 public:
  Call(const char* entry, Needs needs);

  // kSuccess, or what the call must return.
  runtime::cuda::Result result = runtime::cuda::kSuccess;
  Device* device = nullptr;  // of the current context

  Driver& driver() const { return *driver_; }
  // Refuses the call while a capture forbids what may synchronise.
  runtime::cuda::Result CheckUnsafe() const;
  // Finds a stream whose context is not broken; what is wrong with the call
  // itself comes first.
  runtime::cuda::Result Find(runtime::cuda::StreamHandle handle,
                             std::shared_ptr<Stream>* stream) const;
  // The same, for work that only the current context's streams take.
  runtime::cuda::Result FindOwn(runtime::cuda::StreamHandle handle,
                                std::shared_ptr<Stream>* stream) const;

 private:
  const char* entry_;
  std::unique_lock<std::mutex> lock_;
  Driver* driver_ = nullptr;
};

// The number of the calling thread, from 1.
uint64_t ThisThread();
void SetCurrentContext(runtime::cuda::Context context);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_H_
