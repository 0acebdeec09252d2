// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of a rank: queues of instructions that a device executes, each in its
// order, and events that order work of different streams. Whoever enqueues runs
// ahead and synchronizes once for all of it.
#ifndef ACCEL_RUNTIME_DEVICE_STREAM_H_
#define ACCEL_RUNTIME_DEVICE_STREAM_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/device/operations.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// What streams ask of whoever enqueues on them: what an instruction means, and
// what is to happen around it.
//
// Threads: any; for instructions of one stream one at a time.
class StreamClient {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~StreamClient() = default;

  // Called before the instruction is executed; immediately before, where a
  // thread of the host executes it.
  virtual void Begin(const Instance& instance) = 0;
  // Carries the instruction out by calling operations of its stream. A stream
  // that executes on a thread calls this when it is the instruction's turn, one
  // whose operations are queued themselves while it is enqueued. One that
  // replays what it has captured need not call it again.
  virtual absl::Status Issue(const Instance& instance,
                             Operations& operations) = 0;
  // The instruction is done, which is told when it is found out, at the latest
  // while somebody synchronizes. The times are there if the streams are timed.
  // An error ends the streams as one of an instruction does.
  virtual absl::Status Finish(const Instance& instance, Clock::time_point begin,
                              Clock::time_point end) = 0;
  // The stream of `waiter`, which is the next instruction there, had to wait so
  // long for the event, and did nothing else. Told before Begin, by streams of
  // a group that tells waits.
  virtual void Waited(uint32_t /*event*/, const Instance& /*waiter*/,
                      std::chrono::nanoseconds /*time*/) {}
  // The instruction, for messages.
  virtual std::string Describe(const Instance& instance) const = 0;
  // The owner of a wait for an event, for messages.
  virtual std::string DescribeWait(uint32_t event,
                                   const Instance& waiter) const = 0;
};

// The methods enqueue and return. They allocate nothing, and fail with what has
// ended the group.
class Stream {
 public:
  virtual ~Stream() = default;

  virtual absl::Status Enqueue(const Instance& instance) = 0;
  // Counts the event when all work that was enqueued here before is done.
  virtual absl::Status Record(uint32_t event) = 0;
  // What is enqueued here later begins when the event has been counted so often
  // since the last Reset. `waiter` is named if that does not happen.
  // Requires: the records that it takes have been enqueued.
  virtual absl::Status WaitFor(uint32_t event, uint64_t count,
                               const Instance& waiter) = 0;
};

// All streams of one rank.
//
// Invariants
//   1. The first error of any stream ends all of them; every later call fails
//   with it.
//   2. Every wait has an owner, and ends when the watchdog of the options says
//   so.
//
// Threads: one thread at a time, the one that made the group.
class StreamGroup {
 public:
  virtual ~StreamGroup() = default;

  // Enqueues on its stream what the instruction waits for, itself, and the
  // events that it signals. Instances are enqueued in the order of
  // FunctionView::Walk, in which repeats run `repetitions` times.
  absl::Status Enqueue(const FunctionView& function, uint64_t repetitions,
                       const Instance& instance);

  // The same for all instructions of a function. A device may capture them and
  // execute copies, but not before everything has been executed once:
  // `has_run`, on all ranks alike, because captured collectives meet only such.
  virtual absl::Status EnqueueFunction(const FunctionView& function,
                                       uint64_t repetitions, bool has_run);

  // Requires: index < the plan's streams.
  virtual Stream& stream(uint32_t index) = 0;
  // All counts of events are zero again.
  // Requires: nothing is enqueued that was not waited for.
  virtual void Reset() = 0;
  // Waits until all that was enqueued is done, or has ended with an error.
  // Work may begin as late as here. `owner`: what is waited for.
  virtual absl::Status Synchronize(absl::FunctionRef<std::string()> owner) = 0;

  // Whether it can be known how long data were waited for: the client is told
  // of waits, or IsOutOfWork is true while it keeps the streams waiting.
  virtual bool TellsDataWait() const { return false; }
  // Whether what computes has done all that was enqueued, so that whoever
  // enqueues keeps it waiting. Never, if the client is told of waits. Does not
  // wait.
  virtual bool IsOutOfWork() const { return false; }

  // How work is executed, for people; may be empty.
  virtual std::string Describe() const { return ""; }
  // The kernels that a library computes, and the library's ways that were
  // chosen for them.
  virtual std::map<std::string, std::string> LibraryCalls() const { return {}; }
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_STREAM_H_
