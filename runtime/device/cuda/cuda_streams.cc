// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of the queues.
#include "runtime/device/cuda/cuda_streams.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

// Pinned memory for copies of weights, at least; fetches are mostly smaller.
constexpr uint64_t kLeastSlotBytes = uint64_t{1} << 20;
// Of the metrics of one instruction.
constexpr uint64_t kDownloadReserve = 64;

// What a fetch copies at most, so that nothing is allocated in a step.
uint64_t MostFetchedBytes(const PlanView& plan, const MemoryLayout& layout) {
  uint64_t most = kLeastSlotBytes;
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      for (const planpb::FetchField& field : instruction.fetch().fields()) {
        most = std::max(
            most,
            layout
                .RangeOf(instruction.accesses(static_cast<int>(field.access())),
                         0)
                .size());
      }
    }
  }
  return most;
}

// Of an input or output of a collective of a stream.
uint64_t MostCollectiveBytes(const PlanView& plan, const MemoryLayout& layout,
                             uint32_t stream) {
  uint64_t most = 0;
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      if (instruction.has_collective() && instruction.stream() == stream) {
        for (const planpb::Access& access : instruction.accesses()) {
          most = std::max(most, layout.RangeOf(access, 0).size());
        }
      }
    }
  }
  return most;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaStreams>> CudaStreams::Create(
    Gpu& gpu, const PlanView& plan, const CudaCode& code, CudaMemory& memory,
    std::unique_ptr<CublasLt> library, StreamClient& client,
    const StreamOptions& options) {
  RETURN_IF_ERROR(gpu.MakeCurrent());
  auto group =
      absl::WrapUnique(new CudaStreams(gpu, code, memory, client, options));
  RETURN_IF_ERROR(group->MakeContext(plan, std::move(library)));
  RETURN_IF_ERROR(group->MakeStreams(plan));
  return group;
}

CudaStreams::CudaStreams(Gpu& gpu, const CudaCode& code, CudaMemory& memory,
                         StreamClient& client, const StreamOptions& options)
    : gpu_(gpu),
      client_(client),
      options_(options),
      context_{gpu, code, memory, *this, options.communicator, {}, {}, {}, {}} {
}

absl::Status CudaStreams::MakeContext(const PlanView& plan,
                                      std::unique_ptr<CublasLt> library) {
  const MemoryLayout& layout = context_.memory.layout();
  if (library != nullptr) {
    ASSIGN_OR_RETURN(ProductCalls products,
                     ProductCalls::Create(std::move(library), plan,
                                          context_.code.index(), layout));
    context_.flags = products.flags();
    context_.products.emplace(std::move(products));
  }
  ASSIGN_OR_RETURN(context_.uploads,
                   UploadSlots::Create(gpu_, MostFetchedBytes(plan, layout)));
  ASSIGN_OR_RETURN(context_.downloads, Downloads::Create(gpu_));
  return absl::OkStatus();
}

absl::Status CudaStreams::MakeStreams(const PlanView& plan) {
  const auto count = static_cast<uint32_t>(plan.manifest().streams_size());
  handles_.resize(count);
  queues_.resize(count);
  streams_.reserve(count);
  operations_.reserve(count);
  for (uint32_t stream = 0; stream < count; ++stream) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuStreamCreate, &handles_[stream],
                         kStreamNonBlocking);
    streams_.emplace_back(*this, stream);
    operations_.emplace_back(context_, handles_[stream], plan.MostArguments());
    if (options_.communicator != nullptr) {
      RETURN_IF_ERROR(operations_.back().PrepareCollectives(
          MostCollectiveBytes(plan, context_.memory.layout(), stream)));
    }
    queues_[stream].instructions.reserve(kQueueLength);
  }
  size_t events = 0;
  for (const FunctionView& function : plan.functions()) {
    events = std::max<size_t>(events, function.event_count());
  }
  events_.resize(events);
  for (Event& event : events_) {
    for (EventHandle& handle : event.handles) {
      RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventCreate, &handle,
                           kEventDisableTiming);
    }
  }
  ASSIGN_OR_RETURN(progress_, ProgressWords::Create(gpu_, count));
  ASSIGN_OR_RETURN(
      times_, InstructionTimes::Create(gpu_, options_.timed ? kQueueLength : 0,
                                       handles_[0]));
  return absl::OkStatus();
}

CudaStreams::~CudaStreams() {
  Drain();
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  for (const Event& event : events_) {
    for (EventHandle handle : event.handles) {
      if (handle != nullptr) {
        gpu_.driver()->cuEventDestroy_v2(handle);
      }
    }
  }
  for (StreamHandle handle : handles_) {
    if (handle != nullptr) {
      gpu_.driver()->cuStreamDestroy_v2(handle);
    }
  }
}

void CudaStreams::Reset() {
  for (Event& event : events_) {
    event.recorded = 0;
  }
}

absl::Status CudaStreams::CudaStream::Record(uint32_t event) {
  RETURN_IF_ERROR(group_.failure_);
  Event& own = group_.events_[event];
  const EventHandle handle = own.handles[own.recorded++ % Event::kRecords];
  const Driver& driver = group_.gpu_.driver();
  return group_.Fail(driver.Check(
      driver->cuEventRecord(handle, group_.handles_[index_]), "cuEventRecord"));
}

// The records have been enqueued. Where later ones of the event have taken the
// place of this one, the stream waits for longer than it has to.
absl::Status CudaStreams::CudaStream::WaitFor(uint32_t event, uint64_t count,
                                              const Instance&) {
  RETURN_IF_ERROR(group_.failure_);
  const EventHandle handle =
      group_.events_[event].handles[(count - 1) % Event::kRecords];
  const Driver& driver = group_.gpu_.driver();
  return group_.Fail(driver.Check(
      driver->cuStreamWaitEvent(group_.handles_[index_], handle, 0),
      "cuStreamWaitEvent"));
}

absl::Status CudaStreams::Enqueue(uint32_t stream, const Instance& instance) {
  RETURN_IF_ERROR(failure_);
  if (enqueued_ == kQueueLength ||
      !context_.downloads.HasRoomFor(kDownloadReserve)) {
    RETURN_IF_ERROR(
        Synchronize([] { return std::string("the GPU to take more work"); }));
  }
  RETURN_IF_ERROR(Fail(WaitForRoom(stream)));
  RETURN_IF_ERROR(Fail(Issue(stream, instance)));
  return options_.serial
             ? Synchronize([&] { return client_.Describe(instance); })
             : absl::OkStatus();
}

// When its own queue is full, the driver waits for the GPU, without a deadline.
absl::Status CudaStreams::WaitForRoom(uint32_t stream) {
  // Each instruction is some of the thousand operations of that queue.
  constexpr uint32_t kMostUnderWay = 160;
  const auto has_room = [&] {
    return progress_.enqueued(stream) - progress_.done(stream) < kMostUnderWay;
  };
  if (has_room()) {
    return absl::OkStatus();
  }
  return WaitUntil([] { return std::string("the GPU to take more work"); },
                   [&]() -> absl::StatusOr<bool> {
                     ASSIGN_OR_RETURN(const bool is_idle,
                                      gpu_.driver().IsDone(handles_[stream]));
                     return is_idle || has_room();
                   });
}

absl::Status CudaStreams::Issue(uint32_t stream, const Instance& instance) {
  client_.Begin(instance);
  RETURN_IF_ERROR(times_.Begin(enqueued_, handles_[stream]));
  RETURN_IF_ERROR(client_.Issue(instance, operations_[stream]));
  RETURN_IF_ERROR(times_.End(enqueued_, handles_[stream]));
  queues_[stream].instructions.push_back({instance, enqueued_});
  ++enqueued_;
  return progress_.Advance(stream, handles_[stream]);
}

absl::Status CudaStreams::WaitUntil(
    absl::FunctionRef<std::string()> owner,
    absl::FunctionRef<absl::StatusOr<bool>()> ready) {
  const auto text = [&] {
    return absl::StrCat(owner(),
                        "; the first that is not done: ", DescribeFirst());
  };
  return options_.watchdog->Wait([&](const Deadline& deadline) {
    return PollUntil(deadline, text, [&]() -> absl::StatusOr<bool> {
      RETURN_IF_ERROR(Reap());
      return ready();
    });
  });
}

absl::StatusOr<bool> CudaStreams::IsIdle() const {
  for (StreamHandle handle : handles_) {
    // One that was never made has nothing to do.
    if (handle == nullptr) {
      continue;
    }
    ASSIGN_OR_RETURN(const bool is_done, gpu_.driver().IsDone(handle));
    if (!is_done) {
      return false;
    }
  }
  return true;
}

absl::Status CudaStreams::Reap() {
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    Queue& queue = queues_[stream];
    const uint32_t done = progress_.done(stream) - queue.begin;
    for (; queue.told < done; ++queue.told) {
      const Pending& pending = queue.instructions[queue.told];
      ASSIGN_OR_RETURN(const InstructionTimes::Times times,
                       times_.Get(pending.times));
      RETURN_IF_ERROR(client_.Finish(pending.instance, times.begin, times.end));
    }
  }
  return absl::OkStatus();
}

std::string CudaStreams::DescribeFirst() const {
  const Pending* first = nullptr;
  for (const Queue& queue : queues_) {
    if (queue.told < queue.instructions.size() &&
        (first == nullptr ||
         queue.instructions[queue.told].times < first->times)) {
      first = &queue.instructions[queue.told];
    }
  }
  return first == nullptr ? "none" : client_.Describe(first->instance);
}

absl::Status CudaStreams::Fail(const absl::Status& status) {
  if (status.ok() || !failure_.ok()) {
    return failure_;
  }
  failure_ = status;
  if (absl::IsInternal(status)) {
    failure_ = absl::InternalError(absl::StrCat(
        status.message(),
        "; the first instruction not known to be done: ", DescribeFirst(),
        options_.serial ? ""
                        : " (a GPU reports its errors late; accel-run --serial "
                          "finds the instruction)"));
  }
  if (absl::IsInternal(status) || absl::IsDeadlineExceeded(status)) {
    gpu_.Abandon();
  }
  return failure_;
}

void CudaStreams::Drain() {
  constexpr std::chrono::seconds kPatience(10);
  if (gpu_.MakeCurrent().ok() &&
      !PollUntil(
           Deadline::After(kPatience), [] { return std::string("the GPU"); },
           [this] { return IsIdle(); })
           .ok()) {
    gpu_.Abandon();
  }
}

absl::Status CudaStreams::Synchronize(absl::FunctionRef<std::string()> owner) {
  if (!failure_.ok()) {
    Drain();
    return failure_;
  }
  absl::Status status = gpu_.MakeCurrent();
  if (status.ok()) {
    status = WaitUntil(owner, [this] { return IsIdle(); });
    // What was written behind the last look.
    status.Update(status.ok() ? Reap() : status);
  }
  if (!Fail(status).ok()) {
    Drain();
    return failure_;
  }
  context_.downloads.Deliver();
  for (size_t stream = 0; stream < queues_.size(); ++stream) {
    queues_[stream].instructions.clear();
    queues_[stream].told = 0;
    queues_[stream].begin = progress_.enqueued(stream);
  }
  enqueued_ = 0;
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
