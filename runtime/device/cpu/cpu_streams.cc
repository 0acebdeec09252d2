// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue per thread, drained while somebody synchronizes.
#include "runtime/device/cpu/cpu_streams.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Which thread executes each stream.
std::vector<uint32_t> ThreadOfStreams(const planpb::Manifest& manifest,
                                      const StreamOptions& options) {
  std::vector<uint32_t> threads;
  uint32_t next = 1;
  for (const planpb::Stream& stream : manifest.streams()) {
    const bool own = !options.serial && stream.kind() != planpb::STREAM_COMPUTE;
    threads.push_back(!own ? 0 : options.communicator == nullptr ? 1 : next++);
  }
  return threads;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CpuStreams>> CpuStreams::Create(
    const PlanView& plan, const CpuCode& code, const CpuMemory& memory,
    const ThreadPool& pool, StreamClient& client,
    const StreamOptions& options) {
  auto group = absl::WrapUnique(new CpuStreams(client, options));
  group->MakeStreams(plan, code, memory, pool);
  ASSIGN_OR_RETURN(
      group->threads_,
      WorkerThreads::Create(static_cast<int>(group->queues_.size()) - 1,
                            "the other streams"));
  return group;
}

CpuStreams::CpuStreams(StreamClient& client, const StreamOptions& options)
    : client_(client), options_(options) {}

void CpuStreams::MakeStreams(const PlanView& plan, const CpuCode& code,
                             const CpuMemory& memory, const ThreadPool& pool) {
  const planpb::Manifest& manifest = plan.manifest();
  thread_of_ = ThreadOfStreams(manifest, options_);
  const auto count = static_cast<uint32_t>(thread_of_.size());
  streams_.reserve(count);
  operations_.reserve(count);
  for (uint32_t stream = 0; stream < count; ++stream) {
    const bool computes = manifest.streams(static_cast<int>(stream)).kind() ==
                          planpb::STREAM_COMPUTE;
    streams_.emplace_back(*this, stream);
    operations_.emplace_back(code, memory, computes ? pool : single_,
                             options_.communicator, plan.MostArguments());
  }
  queues_.resize(*std::max_element(thread_of_.begin(), thread_of_.end()) + 1);
  for (Queue& queue : queues_) {
    queue.reserve(kQueueLength);
  }
  for (const FunctionView& function : plan.functions()) {
    events_ = std::max(events_, function.event_count());
  }
  counts_ = std::make_unique<std::atomic<uint64_t>[]>(events_);
  waiters_ = std::make_unique<Waiter[]>(count);
}

void CpuStreams::Reset() {
  for (uint32_t event = 0; event < events_; ++event) {
    counts_[event].store(0, std::memory_order_relaxed);
  }
}

absl::Status CpuStreams::Push(const Command& command) {
  if (failed_.load(std::memory_order_relaxed)) {
    return failure_.status();
  }
  Queue& queue = queues_[thread_of_[command.stream]];
  if (queue.size() == kQueueLength) {
    RETURN_IF_ERROR(Synchronize(
        [] { return std::string("the streams to take more work"); }));
  }
  queue.push_back(command);
  return absl::OkStatus();
}

absl::Status CpuStreams::Synchronize(absl::FunctionRef<std::string()> owner) {
  const auto drain_other = [this](int thread) {
    Drain(static_cast<uint32_t>(thread) + 1);
  };
  const bool others =
      std::any_of(queues_.begin() + 1, queues_.end(),
                  [](const Queue& queue) { return !queue.empty(); });
  if (others) {
    threads_->Start(threads_->count(), drain_other);
  }
  Drain(0);
  const auto wait = [&](const Deadline& deadline) {
    return threads_->WaitUntilDone(deadline, owner);
  };
  // Also after an error: nobody may execute when this returns. The failure
  // wakes whoever waits for an event.
  while (others) {
    const absl::Status rest = options_.watchdog->Wait(wait);
    if (rest.ok()) {
      break;
    }
    Fail(rest);
  }
  for (Queue& queue : queues_) {
    queue.clear();
  }
  return failure_.status();
}

void CpuStreams::Drain(uint32_t thread) {
  for (const Command& command : queues_[thread]) {
    if (failed_.load(std::memory_order_relaxed)) {
      return;
    }
    const absl::Status status = Run(command);
    if (!status.ok()) {
      Fail(status);
    }
  }
}

absl::Status CpuStreams::Run(const Command& command) {
  switch (command.kind) {
    case Kind::kExecute:
      return Execute(command.stream, command.instance);
    case Kind::kRecord:
      Record(command.event);
      return absl::OkStatus();
    case Kind::kWait:
      return WaitForEvent(command);
  }
  return absl::InternalError("a command of no kind");
}

absl::Status CpuStreams::Execute(uint32_t stream, const Instance& instance) {
  using Clock = StreamClient::Clock;
  const auto now = [this] {
    return options_.timed ? Clock::now() : Clock::time_point();
  };
  client_.Begin(instance);
  const Clock::time_point begin = now();
  RETURN_IF_ERROR(client_.Issue(instance, operations_[stream]));
  return client_.Finish(instance, begin, now());
}

// Who begins to wait says so and then looks at the count; who records counts
// and then looks for waiters. In the one order of these accesses one of the two
// sees the other.
void CpuStreams::Record(uint32_t event) {
  counts_[event].fetch_add(1, std::memory_order_seq_cst);
  for (size_t stream = 0; stream < thread_of_.size(); ++stream) {
    Waiter& waiter = waiters_[stream];
    if (waiter.event_plus_one.load(std::memory_order_seq_cst) == event + 1) {
      waiter.monitor.Update([] {});
    }
  }
}

absl::Status CpuStreams::WaitForEvent(const Command& command) {
  const auto ready = [&] {
    return counts_[command.event].load(std::memory_order_seq_cst) >=
           command.count;
  };
  if (ready()) {
    return absl::OkStatus();
  }
  const auto owner = [&] {
    return client_.DescribeWait(command.event, command.instance);
  };
  using Clock = StreamClient::Clock;
  const Clock::time_point begin = Clock::now();
  Waiter& self = waiters_[command.stream];
  self.event_plus_one.store(uint64_t{command.event} + 1,
                            std::memory_order_seq_cst);
  const absl::Status status =
      options_.watchdog->Wait([&](const Deadline& deadline) {
        return WaitUntil(deadline, owner, self.monitor, ready);
      });
  self.event_plus_one.store(0, std::memory_order_relaxed);
  client_.Waited(command.event, command.instance, Clock::now() - begin);
  return status;
}

void CpuStreams::Fail(const absl::Status& status) {
  failure_.Fail(status);
  failed_.store(true, std::memory_order_relaxed);
  for (size_t stream = 0; stream < thread_of_.size(); ++stream) {
    waiters_[stream].monitor.Fail(failure_.status());
  }
}

}  // namespace accel::runtime
