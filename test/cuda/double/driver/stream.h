// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, and the operations in them.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_STREAM_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_STREAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "test/cuda/double/driver/clock.h"
#include "test/cuda/double/driver/task.h"

namespace accel::cuda_double {

struct Device;
struct Capture;

struct Operation {
  enum class State { kPending, kRunning, kStalled, kDone };

  SharedTask task;  // null: the operation only orders others
  // What must be done before, apart from the stream's earlier operations.
  std::vector<std::shared_ptr<Operation>> after;
  // The earlier operation of its task's chain: done before, but what it did is
  // not ordered before this one.
  std::shared_ptr<Operation> behind;
  // What the enqueuing thread had seen complete; once the operation is done,
  // everything before it and itself.
  Clock clock;
  State state = State::kPending;
  uint64_t sequence = 0;
  uint64_t end_ns = 0;
  // It is next in its stream and waits for somebody outside of the double.
  bool waits = false;
  // The context broke before its turn.
  bool is_dropped = false;

  bool IsDone() const { return state == State::kDone; }
};

// Threads: used under the driver's lock.
struct Stream {
  Device* device = nullptr;
  std::string name;  // "stream 2 of GPU 0"
  size_t agent = 0;
  uint64_t time = 0;  // how many operations have been executed
  Clock clock;        // of the last of them
  std::deque<std::shared_ptr<Operation>> pending;
  uint64_t passed_over = 0;

  // How often something was enqueued or captured.
  uint64_t issues = 0;

  std::shared_ptr<Capture> capture;
  std::set<size_t> frontier;  // the nodes that its next node depends on
};

struct Event {
  Device* device = nullptr;
  bool is_timed = true;
  // Where it was recorded last: one of these, or neither.
  std::shared_ptr<Operation> record;
  std::shared_ptr<Capture> capture;
  std::set<size_t> nodes;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_STREAM_H_
