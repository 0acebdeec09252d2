// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue per stream, one thread for all of them.
#include "test/runtime/device/queued_streams.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/random/philox.h"

namespace accel::testing {

using runtime::ByteRange;
using runtime::CollectiveCall;
using runtime::Deadline;
using runtime::Instance;
using runtime::KernelArgument;
using runtime::KernelLaunch;
using Clock = runtime::StreamClient::Clock;

QueuedStreams::QueuedStreams(const runtime::PlanView& plan,
                             const runtime::CpuCode& code, QueuedMemory& memory,
                             runtime::StreamClient& client,
                             const runtime::StreamOptions& options,
                             const QueuedDeviceOptions& device)
    : code_(code),
      memory_(memory),
      client_(client),
      options_(options),
      device_(device),
      queues_(options.serial ? 1 : plan.manifest().streams_size()) {
  uint32_t events = 0;
  for (const runtime::FunctionView& function : plan.functions()) {
    events = std::max(events, function.event_count());
  }
  counts_.resize(events);
  for (int i = 0; i < plan.manifest().streams_size(); ++i) {
    streams_.emplace_back(*this, static_cast<uint32_t>(i));
  }
  thread_ = std::thread([this] { Drain(); });
}

QueuedStreams::~QueuedStreams() {
  control_.Update([this] { stop_ = true; });
  thread_.join();
}

void QueuedStreams::Reset() {
  control_.Update([this] { std::fill(counts_.begin(), counts_.end(), 0); });
}

absl::Status QueuedStreams::Synchronize(
    absl::FunctionRef<std::string()> owner) {
  control_.Update([this] { synchronizing_ = true; });
  const absl::Status status =
      options_.watchdog->Wait([&](const Deadline& deadline) {
        return runtime::WaitUntil(deadline, owner, control_, [this] {
          return !busy_ && std::all_of(queues_.begin(), queues_.end(),
                                       [](const auto& q) { return q.empty(); });
        });
      });
  control_.Update([this] { synchronizing_ = false; });
  if (!status.ok()) {
    control_.Fail(status);
  }
  return control_.status();
}

absl::Status QueuedStreams::Push(uint32_t stream, Entry entry) {
  control_.Update([&] {
    queues_[options_.serial ? 0 : stream].push_back(std::move(entry));
  });
  return control_.status();
}

bool QueuedStreams::IsReady(const std::deque<Entry>& queue) const {
  return !queue.empty() &&
         (!queue.front().waits ||
          counts_[*queue.front().waits] >= queue.front().count);
}

std::optional<size_t> QueuedStreams::Choose() {
  if (device_.lazy && !synchronizing_) {
    return std::nullopt;
  }
  std::vector<size_t> ready;
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    if (IsReady(queues_[stream])) {
      ready.push_back(stream);
    }
  }
  if (ready.empty()) {
    return std::nullopt;
  }
  // For some time the first of them, then the last, then any: a stream runs far
  // ahead, or falls far behind.
  const uint32_t word = runtime::RandomWord(device_.seed, 3, choices_ / 64, 0);
  const uint32_t any = runtime::RandomWord(device_.seed, 4, choices_++, 0);
  return word % 3 == 0   ? ready.front()
         : word % 3 == 1 ? ready.back()
                         : ready[any % ready.size()];
}

void QueuedStreams::Drain() {
  while (true) {
    Entry entry;
    const absl::Status status = runtime::WaitUntil(
        Deadline::After(std::chrono::hours(1)), "work", control_, [&] {
          const auto stream = stop_ ? std::nullopt : Choose();
          if (stream) {
            entry = std::move(queues_[*stream].front());
            queues_[*stream].pop_front();
            busy_ = true;
          }
          return stop_ || stream.has_value();
        });
    if (!status.ok() || !busy_) {
      return;
    }
    const absl::Status done = entry.run ? entry.run() : absl::OkStatus();
    control_.Update([&] {
      busy_ = false;
      if (entry.records) {
        ++counts_[*entry.records];
      }
    });
    if (!done.ok()) {
      control_.Fail(done);
    }
  }
}

absl::Status QueuedStreams::QueuedStream::Enqueue(const Instance& instance) {
  RETURN_IF_ERROR(Later([this, instance] { group_.client_.Begin(instance); }));
  const absl::Status issued = group_.client_.Issue(instance, *this);
  if (!issued.ok()) {
    group_.control_.Fail(issued);
  }
  return group_.Push(index_, {[this, instance] {
                                const auto now = Clock::now();
                                return group_.client_.Finish(instance, now,
                                                             now);
                              },
                              {},
                              {},
                              0});
}

absl::Status QueuedStreams::QueuedStream::Record(uint32_t event) {
  return group_.Push(index_, {nullptr, event, {}, 0});
}

absl::Status QueuedStreams::QueuedStream::WaitFor(uint32_t event,
                                                  uint64_t count,
                                                  const Instance&) {
  return group_.Push(index_, {nullptr, {}, event, count});
}

absl::Status QueuedStreams::QueuedStream::Later(std::function<void()> run) {
  return group_.Push(index_, {[run = std::move(run)] {
                                run();
                                return absl::OkStatus();
                              },
                              {},
                              {},
                              0});
}

absl::Status QueuedStreams::QueuedStream::Launch(const KernelLaunch& launch) {
  const std::vector<KernelArgument> arguments(launch.arguments.begin(),
                                              launch.arguments.end());
  return Later([this, launch, arguments] {
    const int threads = group_.device_.threads;
    std::vector<void*> pointers(arguments.size());
    for (int thread = threads - 1; thread >= 0; --thread) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        pointers[i] = group_.memory_.Bytes(arguments[i].range).data() +
                      thread * arguments[i].thread_stride;
      }
      const runtime::CpuKernel& kernel = group_.code_.kernel(launch.kernel);
      const runtime::WorkRange part =
          runtime::PartOf(0, static_cast<int64_t>(launch.TilesOf(kernel.tiles)),
                          kernel.grain, thread, threads);
      if (part.begin < part.end) {
        kernel.function(pointers.data(), part.begin, part.end);
      }
    }
  });
}

absl::Status QueuedStreams::QueuedStream::Fill(const ByteRange& destination,
                                               absl::string_view pattern) {
  return Later([this, destination, pattern = std::string(pattern)] {
    const auto dst = group_.memory_.Bytes(destination);
    for (size_t i = 0; i < dst.size(); ++i) {
      dst[i] = pattern.empty() ? std::byte{0}
                               : std::byte(pattern[i % pattern.size()]);
    }
  });
}

absl::Status QueuedStreams::QueuedStream::Copy(const ByteRange& source,
                                               const ByteRange& destination) {
  return Later([this, source, destination] {
    const auto from = group_.memory_.Bytes(source);
    std::copy(from.begin(), from.end(),
              group_.memory_.Bytes(destination).begin());
  });
}

absl::Status QueuedStreams::QueuedStream::Collective(const CollectiveCall& call,
                                                     const ByteRange& input,
                                                     const ByteRange& output) {
  return group_.Push(
      index_, {[this, call, name = std::string(call.name), input, output] {
                 CollectiveCall own = call;
                 own.name = name;
                 own.input = group_.memory_.Bytes(input);
                 own.output = group_.memory_.Bytes(output);
                 if (group_.options_.communicator != nullptr) {
                   return group_.options_.communicator->Run(own);
                 }
                 std::memmove(own.output.data(), own.input.data(),
                              own.output.size());
                 return absl::OkStatus();
               },
               {},
               {},
               0});
}

absl::Status QueuedStreams::QueuedStream::Upload(
    const ByteRange& destination,
    absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce) {
  std::vector<std::byte> staging(destination.size(), std::byte{0xa5});
  RETURN_IF_ERROR(produce(absl::MakeSpan(staging)));
  return Later([this, destination, staging = std::move(staging)] {
    std::copy(staging.begin(), staging.end(),
              group_.memory_.Bytes(destination).begin());
  });
}

absl::Status QueuedStreams::QueuedStream::Download(const ByteRange& source,
                                                   absl::Span<std::byte> host) {
  return Later([this, source, host] {
    const auto from = group_.memory_.Bytes(source);
    std::copy(from.begin(), from.end(), host.begin());
  });
}

void QueuedStreams::QueuedStream::ParallelFor(
    int64_t count, absl::FunctionRef<void(int64_t)> task) {
  for (int64_t i = count; i-- > 0;) {
    task(i);
  }
}

}  // namespace accel::testing
