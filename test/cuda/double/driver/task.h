// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation of a stream does. A node of a graph does it at every
// replay.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASK_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/access_history.h"

namespace accel::cuda_double {

// A mistake of the caller that only the execution shows.
struct Fault {
  runtime::cuda::Result code = runtime::cuda::kErrorLaunchFailed;
  std::string text;
};

struct Outcome {
  std::vector<Touched> touched;
  std::optional<Fault> fault;
};

struct Task {
  std::string name;    // "kernel add", "copy to host"
  std::string kernel;  // empty for other tasks
  std::function<Outcome()> run;
  // The driver's lock is not held while it runs, as it is for host functions:
  // the thread that a host function waits for may call the driver.
  bool unlocks = false;
  // The host may learn from what it does that it is done.
  bool signals_host = false;
  // Of tasks that wait for somebody else, or null: whether the task, which is
  // next in its stream, is right so far and begins to wait; and then whether it
  // waits no more. A task that is wrong is run at once, to say so.
  std::function<bool()> begins = nullptr;
  std::function<bool()> is_ready = nullptr;
  // Called when an operation is made of the task, or null.
  std::function<void()> enqueued = nullptr;
  // Tasks of one chain, unless it is 0, are run in the order of their
  // enqueuing.
  uint64_t chain = 0;
  // Of the double's clock, besides what every task takes.
  uint64_t nanoseconds = 0;
};

using SharedTask = std::shared_ptr<const Task>;

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASK_H_
