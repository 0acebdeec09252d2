// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/scheduler.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "test/cuda/double/driver/callback.h"

namespace accel::cuda_double {
namespace {

constexpr int kOrders = 6;
// However cruel the order, a stream's turn comes.
constexpr uint64_t kMaxPassedOver = 4096;

uint64_t SequenceOf(const Stream* stream) {
  return stream->pending.front()->sequence;
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

uint64_t Scheduler::Random() {
  // SplitMix64.
  uint64_t z = random_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

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
  stream.pending.push_back(operation);
  return operation;
}

bool Scheduler::IsReady(const Stream& stream) const {
  if (stream.pending.empty()) {
    return false;
  }
  const Operation& head = *stream.pending.front();
  return head.state == Operation::State::kPending &&
         std::all_of(head.after.begin(), head.after.end(),
                     [](const auto& other) { return other->IsDone(); });
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

Stream* Scheduler::ChooseStarving(const std::vector<Stream*>& ready) {
  if (ready.size() == 1) {
    // The victim had to go on, or there was no choice: draw another one.
    if (ready[0]->agent == victim_ || victim_ == SIZE_MAX) {
      victim_ = Random() % agents_;
    }
    return ready[0];
  }
  std::vector<Stream*> others;
  std::copy_if(ready.begin(), ready.end(), std::back_inserter(others),
               [this](const Stream* s) { return s->agent != victim_; });
  return others[Random() % others.size()];
}

Stream* Scheduler::Choose(const std::vector<Stream*>& ready) {
  for (Stream* stream : ready) {
    if (++stream->passed_over > kMaxPassedOver) {
      return stream;
    }
  }
  const auto by_sequence = [](const Stream* a, const Stream* b) {
    return SequenceOf(a) < SequenceOf(b);
  };
  switch (configuration_.seed % kOrders) {
    case 0:
      return *std::min_element(ready.begin(), ready.end(), by_sequence);
    case 1: {
      const auto next = std::find_if(
          ready.begin(), ready.end(),
          [this](const Stream* s) { return s->agent > last_agent_; });
      return next == ready.end() ? ready[0] : *next;
    }
    case 2:
      return ChooseStarving(ready);
    case 4:
      return *std::max_element(ready.begin(), ready.end(), by_sequence);
    case 5: {
      const auto same = std::find_if(
          ready.begin(), ready.end(),
          [this](const Stream* s) { return s->agent == last_agent_; });
      return same != ready.end() ? *same : ready[Random() % ready.size()];
    }
    default:
      return ready[Random() % ready.size()];
  }
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

void Scheduler::Progress() {
  for (uint64_t k = 1 + Random() % 3; k > 0 && Step(); --k) {
  }
}

bool Scheduler::RunUntil(const std::function<bool()>& holds) {
  while (!holds()) {
    if (Step()) {
      continue;
    }
    const bool runs =
        std::any_of(streams_.begin(), streams_.end(), [](const auto& stream) {
          return !stream->pending.empty() &&
                 stream->pending.front()->state == Operation::State::kRunning;
        });
    if (!runs) {
      return holds();
    }
    // Another thread executes a host function.
    lock_.unlock();
    std::this_thread::yield();
    lock_.lock();
  }
  return true;
}

bool Scheduler::IsStalled(const Task& task) {
  if (task.kernel.empty()) {
    return false;
  }
  const uint64_t number = ++executions_[task.kernel];
  return std::any_of(configuration_.stalls.begin(), configuration_.stalls.end(),
                     [&](const Nth& nth) {
                       return nth.name == task.kernel && nth.number == number;
                     });
}

Outcome Scheduler::RunTask(const Task& task) {
  const InsideCallback inside;
  if (!task.unlocks) {
    return task.run();
  }
  lock_.unlock();
  Outcome outcome = task.run();
  lock_.lock();
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
  now_ns_ += 1000 + Random() % 5000;
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
