// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/scheduler.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "test/cuda/double/driver/callback.h"

namespace accel::cuda_double {
namespace {

constexpr std::chrono::microseconds kPollingInterval(20);

bool Runs(const Operation& head) {
  return head.state == Operation::State::kRunning;
}

bool Waits(const Operation& head) {
  return head.state == Operation::State::kPending && head.waits;
}

}  // namespace

Scheduler::Scheduler(const Configuration& configuration, std::mutex& lock,
                     AccessHistory& history, OnFault on_fault, NameOf name_of)
    : configuration_(configuration),
      lock_(lock),
      history_(history),
      on_fault_(std::move(on_fault)),
      name_of_(std::move(name_of)),
      log_(configuration.log_path, -1),
      random_(configuration.seed) {}

std::shared_ptr<Stream> Scheduler::AddStream(Device& device, std::string name) {
  auto stream = std::make_shared<Stream>();
  stream->device = &device;
  stream->name = std::move(name);
  stream->agent = agents_++;
  streams_.push_back(stream);
  return stream;
}

std::shared_ptr<Operation> Scheduler::Push(Stream& stream, SharedTask task,
                                           const Clock& host) {
  auto operation = std::make_shared<Operation>();
  operation->task = std::move(task);
  operation->clock = host;
  operation->sequence = ++sequence_;
  ++stream.issues;
  if (operation->task != nullptr && operation->task->enqueued != nullptr) {
    operation->task->enqueued();
  }
  if (operation->task != nullptr && operation->task->chain != 0) {
    std::weak_ptr<Operation>& last = chains_[operation->task->chain];
    operation->behind = last.lock();
    last = operation;
  }
  stream.pending.push_back(operation);
  return operation;
}

bool Scheduler::IsReady(const Stream& stream) {
  if (stream.pending.empty()) {
    return false;
  }
  Operation& head = *stream.pending.front();
  if (head.state != Operation::State::kPending ||
      (head.behind != nullptr && !head.behind->IsDone()) ||
      !std::all_of(head.after.begin(), head.after.end(),
                   [](const auto& other) { return other->IsDone(); })) {
    return false;
  }
  if (head.task == nullptr || head.task->is_ready == nullptr) {
    return true;
  }
  if (!head.waits && !head.task->begins()) {
    return true;
  }
  const bool is_ready = head.task->is_ready();
  if (!is_ready && !head.waits) {
    log_.Append(absl::StrCat(stream.name, ": ", head.task->name, " waits"));
  }
  head.waits = true;
  return is_ready;
}

std::vector<Stream*> Scheduler::ReadyStreams() {
  std::erase_if(streams_, [](const std::shared_ptr<Stream>& stream) {
    return stream.use_count() == 1 && stream->pending.empty();
  });
  std::vector<Stream*> ready;
  for (const auto& stream : streams_) {
    if (IsReady(*stream)) {
      ready.push_back(stream.get());
    }
  }
  return ready;
}

bool Scheduler::Step() {
  const std::vector<Stream*> ready = ReadyStreams();
  if (ready.empty()) {
    return false;
  }
  Stream* chosen = Choose(ready);
  chosen->passed_over = 0;
  last_agent_ = chosen->agent;
  Execute(*std::find_if(
      streams_.begin(), streams_.end(),
      [chosen](const auto& stream) { return stream.get() == chosen; }));
  return true;
}

bool Scheduler::AnyHead(bool (*is)(const Operation& head)) const {
  return std::any_of(streams_.begin(), streams_.end(), [is](const auto& s) {
    return !s->pending.empty() && is(*s->pending.front());
  });
}

void Scheduler::SleepUnlocked() {
  ++threads_inside_;
  lock_.unlock();
  std::this_thread::sleep_for(kPollingInterval);
  lock_.lock();
  --threads_inside_;
}

void Scheduler::Progress() {
  bool has_run = false;
  for (uint64_t k = 1 + Random() % 3; k > 0 && Step(); --k) {
    has_run = true;
  }
  if (!has_run && AnyHead(Waits)) {
    SleepUnlocked();
  }
}

bool Scheduler::RunUntil(const std::function<bool()>& holds) {
  while (!holds()) {
    if (Step()) {
      continue;
    }
    // Another thread executes a host function, or somebody is waited for.
    if (!AnyHead(Runs) && !AnyHead(Waits)) {
      return holds();
    }
    SleepUnlocked();
  }
  return true;
}

namespace {

// By which the environment names it.
const std::string& KnownAs(const Task& task) {
  return task.kernel.empty() ? task.name : task.kernel;
}

bool Has(const std::vector<Nth>& list, const std::string& name,
         uint64_t number) {
  return std::any_of(list.begin(), list.end(), [&](const Nth& nth) {
    return nth.name == name && nth.number == number;
  });
}

// As if a kernel computed something else. The last byte of eight is one in
// which floats of every width have their exponent.
void Spoil(const Outcome& outcome) {
  for (const Touched& access : outcome.touched) {
    if (access.writes && access.bytes != 0) {
      const uint64_t last = std::min<uint64_t>(access.bytes, 8) - 1;
      reinterpret_cast<unsigned char*>(access.begin)[last] ^= 0x40;
      return;
    }
  }
}

}  // namespace

bool Scheduler::IsStalled(const Task& task) {
  return Has(configuration_.stalls, KnownAs(task),
             ++executions_[KnownAs(task)]);
}

Outcome Scheduler::RunTask(const Task& task) {
  const InsideCallback inside;
  if (!task.unlocks) {
    return task.run();
  }
  ++threads_inside_;
  lock_.unlock();
  Outcome outcome = task.run();
  lock_.lock();
  --threads_inside_;
  return outcome;
}

void Scheduler::CheckRaces(const Stream& stream, const Operation& operation,
                           Outcome& outcome) {
  const auto who = std::make_shared<const std::string>(
      absl::StrCat(operation.task->name, " on ", stream.name));
  const Stamp stamp = {stream.agent, stream.time, who};
  for (const Touched& access : outcome.touched) {
    const std::optional<Conflict> conflict =
        history_.Record(access, operation.clock, stamp);
    if (conflict.has_value()) {
      const uint64_t end = std::min(conflict->begin + conflict->bytes,
                                    access.begin + access.bytes);
      outcome.fault =
          Fault{runtime::cuda::kErrorLaunchFailed,
                absl::StrFormat("race: it %s bytes [0x%x, 0x%x)%s, and nothing "
                                "orders it after the %s by %s",
                                access.writes ? "writes" : "reads",
                                conflict->begin, end, name_of_(conflict->begin),
                                conflict->other_writes ? "write" : "read",
                                conflict->other)};
      return;
    }
  }
}

void Scheduler::Begin(Stream& stream, Operation& operation) {
  operation.state = Operation::State::kRunning;
  operation.clock.Join(stream.clock);
  for (const auto& other : operation.after) {
    operation.clock.Join(other->clock);
  }
  operation.after.clear();
  operation.behind = nullptr;
  operation.clock.Set(stream.agent, ++stream.time);
  now_ns_ += 500 + Random() % 1000;
}

void Scheduler::End(Stream& stream, Operation& operation) {
  operation.state = Operation::State::kDone;
  operation.end_ns = now_ns_;
  stream.clock = operation.clock;
  stream.pending.pop_front();
  executed_[stream.device].Join(operation.clock);
  if (operation.task != nullptr && operation.task->signals_host) {
    signals_.Join(operation.clock);
  }
}

void Scheduler::Execute(std::shared_ptr<Stream> stream) {
  const std::shared_ptr<Operation> operation = stream->pending.front();
  const SharedTask task = operation->task;
  if (task == nullptr) {
    Begin(*stream, *operation);
    End(*stream, *operation);
    return;
  }
  if (IsStalled(*task)) {
    operation->state = Operation::State::kStalled;
    log_.Append(absl::StrCat(stream->name, ": ", task->name, " stalls"));
    return;
  }
  Begin(*stream, *operation);
  Outcome outcome = RunTask(*task);
  if (Has(configuration_.wrong, KnownAs(*task), executions_[KnownAs(*task)])) {
    Spoil(outcome);
  }
  now_ns_ += 1000 + Random() % 5000 + task->nanoseconds;
  log_.Append(absl::StrCat(stream->name, ": ", task->name));
  if (operation->is_dropped) {
    return;  // The context broke while a host function ran.
  }
  if (!outcome.fault.has_value()) {
    CheckRaces(*stream, *operation, outcome);
  }
  End(*stream, *operation);
  if (outcome.fault.has_value()) {
    outcome.fault->text = absl::StrCat(task->name, " on ", stream->name, ": ",
                                       outcome.fault->text);
    on_fault_(*stream->device, *outcome.fault);
  }
}

void Scheduler::Drop(const Device& device) {
  for (const auto& stream : streams_) {
    if (stream->device != &device) {
      continue;
    }
    for (const auto& operation : stream->pending) {
      operation->state = Operation::State::kDone;
      operation->is_dropped = true;
      operation->after.clear();
      operation->behind = nullptr;
    }
    stream->pending.clear();
  }
}

bool Scheduler::IsIdle(const Device& device) const {
  return std::all_of(
      streams_.begin(), streams_.end(), [&device](const auto& stream) {
        return stream->device != &device || stream->pending.empty();
      });
}

Clock Scheduler::ClockOf(const Device& device) const {
  const auto found = executed_.find(&device);
  return found == executed_.end() ? Clock() : found->second;
}

}  // namespace accel::cuda_double
