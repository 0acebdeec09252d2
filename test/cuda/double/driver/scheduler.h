// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the operations of all streams, one at a time, in an order that the
// seed decides among those that the caller's program allows. seed % 6 says how:
//   0  in the order in which they were enqueued
//   1  one of each stream in turn
//   2  one stream waits until no other one is ready
//   3  at random
//   4  the last enqueued first
//   5  one stream until it waits, then another one
//
// Whether operations race does not depend on that order: it is decided by
// vector clocks.
//
// A task that waits for somebody else, as a collective does for its peers, is
// asked whenever an operation is chosen; if nothing else can be executed, the
// scheduler sleeps for a moment before it asks again.
//
// Threads: used under the driver's lock, which is released while a host
// function runs and while the scheduler sleeps.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_SCHEDULER_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_SCHEDULER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "test/cuda/double/driver/access_history.h"
#include "test/cuda/double/driver/configuration.h"
#include "test/cuda/double/driver/stream.h"
#include "test/cuda/double/driver/text_file.h"

namespace accel::cuda_double {

class Scheduler {
 public:
  // Called with what an execution shows to be wrong.
  using OnFault = std::function<void(Device&, const Fault&)>;
  // Says to which allocation a byte belongs: " of allocation 3 of 64 bytes".
  using NameOf = std::function<std::string(uint64_t address)>;

  // Borrows: all.
  Scheduler(const Configuration& configuration, std::mutex& lock,
            AccessHistory& history, OnFault on_fault, NameOf name_of);

  // Makes a stream; the scheduler forgets it when nobody else owns it and it is
  // empty.
  std::shared_ptr<Stream> AddStream(Device& device, std::string name);
  std::shared_ptr<Operation> Push(Stream& stream, SharedTask task,
                                  const Clock& host);
  // Executes one operation; returns false if none is ready.
  bool Step();
  // Executes a few.
  void Progress();
  // Executes until the condition holds; returns false if it never will. A task
  // that waits for somebody else may always become ready.
  bool RunUntil(const std::function<bool()>& holds);
  // Forgets what waits in the streams of a device, as if it were done.
  void Drop(const Device& device);
  bool IsIdle(const Device& device) const;
  // All that has been executed on the device.
  Clock ClockOf(const Device& device) const;
  // What host functions and the like have told the host.
  const Clock& signals() const { return signals_; }
  uint64_t Random();
  // Whether a thread is inside, which has released the lock.
  bool IsInUse() const { return threads_inside_ != 0; }

 private:
  bool IsReady(const Stream& stream);
  bool AnyHead(bool (*is)(const Operation& head)) const;
  void SleepUnlocked();
  std::vector<Stream*> ReadyStreams();
  Stream* Choose(const std::vector<Stream*>& ready);
  Stream* ChooseStarving(const std::vector<Stream*>& ready);
  void Begin(Stream& stream, Operation& operation);
  void End(Stream& stream, Operation& operation);
  void Execute(std::shared_ptr<Stream> stream);
  bool IsStalled(const Task& task);
  Outcome RunTask(const Task& task);
  void CheckRaces(const Stream& stream, const Operation& operation,
                  Outcome& outcome);

  const Configuration& configuration_;
  std::mutex& lock_;
  AccessHistory& history_;
  OnFault on_fault_;
  NameOf name_of_;
  TextFile log_;
  std::vector<std::shared_ptr<Stream>> streams_;
  int threads_inside_ = 0;
  size_t agents_ = 0;
  size_t last_agent_ = SIZE_MAX;
  size_t victim_ = SIZE_MAX;
  uint64_t random_;
  uint64_t sequence_ = 0;
  uint64_t now_ns_ = 0;
  std::map<std::string, uint64_t> executions_;
  std::map<uint64_t, std::weak_ptr<Operation>> chains_;  // the last of each
  std::map<const Device*, Clock> executed_;
  Clock signals_;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_SCHEDULER_H_
