// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of the queues.
#include "runtime/device/cuda/cuda_streams.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/deadline.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/plan_needs.h"

namespace accel::runtime::cuda {
namespace {

// Of the metrics of one instruction.
constexpr uint64_t kDownloadReserve = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<CudaStreams>> CudaStreams::Create(
    Gpu& gpu, const PlanView& plan, const CudaCode& code, CudaMemory& memory,
    CudaLibraries libraries, StreamClient& client,
    const StreamOptions& options) {
  RETURN_IF_ERROR(gpu.MakeCurrent());
  auto group = absl::WrapUnique(
      new CudaStreams(gpu, plan, code, memory, client, options));
  RETURN_IF_ERROR(group->MakeContext(std::move(libraries)));
  RETURN_IF_ERROR(group->MakeStreams());
  return group;
}

CudaStreams::CudaStreams(Gpu& gpu, const PlanView& plan, const CudaCode& code,
                         CudaMemory& memory, StreamClient& client,
                         const StreamOptions& options)
    : gpu_(gpu),
      plan_(plan),
      client_(client),
      options_(options),
      context_{gpu, code, memory, *this, nullptr, {}, {}, {}, {}, {}, {}} {}

absl::Status CudaStreams::MakeContext(CudaLibraries libraries) {
  const MemoryLayout& layout = context_.memory.layout();
  if (libraries.products != nullptr) {
    ASSIGN_OR_RETURN(
        ProductCalls products,
        ProductCalls::Create(std::move(libraries.products), plan_,
                             context_.code.index(), layout, options_.tuned));
    context_.products.emplace(std::move(products));
  }
  if (libraries.convolutions != nullptr) {
    ASSIGN_OR_RETURN(
        ConvolutionCalls convolutions,
        ConvolutionCalls::Create(std::move(libraries.convolutions), plan_,
                                 context_.code.index(), layout));
    context_.convolutions.emplace(std::move(convolutions));
  }
  if (context_.products || context_.convolutions) {
    ASSIGN_OR_RETURN(context_.flags, AccumulationFlags::Find(
                                         plan_, context_.code.index(), layout));
  }
  if (libraries.make_collectives) {
    ASSIGN_OR_RETURN(context_.collectives, libraries.make_collectives(*this));
  }
  ASSIGN_OR_RETURN(context_.uploads,
                   UploadSlots::Create(gpu_, MostFetchedBytes(plan_, layout)));
  ASSIGN_OR_RETURN(context_.downloads, Downloads::Create(gpu_));
  return absl::OkStatus();
}

absl::Status CudaStreams::MakeStreams() {
  const auto count = static_cast<uint32_t>(plan_.manifest().streams_size());
  handles_.resize(count);
  streams_.reserve(count);
  operations_.reserve(count);
  for (uint32_t stream = 0; stream < count; ++stream) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuStreamCreate, &handles_[stream],
                         kStreamNonBlocking);
    streams_.emplace_back(*this, stream);
    operations_.emplace_back(context_, handles_[stream], plan_.MostArguments());
    if (context_.collectives != nullptr) {
      RETURN_IF_ERROR(context_.collectives->Prepare(
          handles_[stream],
          NeedsOfCollectives(plan_, context_.memory.layout(), stream)));
    }
  }
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuStreamCreate, &launches_,
                       kStreamNonBlocking);
  size_t events = 0;
  size_t capacity = kQueueLength;
  for (const FunctionView& function : plan_.functions()) {
    events = std::max<size_t>(events, function.event_count());
    capacity = std::max(capacity, function.instructions().size());
  }
  ASSIGN_OR_RETURN(events_, PlanEvents::Create(gpu_, events));
  ASSIGN_OR_RETURN(pending_, PendingInstructions::Create(
                                 gpu_, handles_, capacity, options_.timed));
  return absl::OkStatus();
}

CudaStreams::~CudaStreams() {
  Drain();
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  handles_.push_back(launches_);
  for (StreamHandle handle : handles_) {
    if (handle != nullptr) {
      gpu_.driver()->cuStreamDestroy_v2(handle);
    }
  }
}

std::string CudaStreams::Describe() const {
  std::vector<std::string> parts;
  if (context_.collectives != nullptr) {
    parts.push_back(
        absl::StrCat("collectives: ", context_.collectives->Describe()));
  }
  if (context_.products && options_.tuned != nullptr) {
    parts.push_back(absl::StrCat("products: tuned on ",
                                 options_.tuned->machine.gpu, " with ",
                                 options_.tuned->machine.library));
  }
  parts.emplace_back(UsesGraphs() ? "CUDA graphs" : "no CUDA graphs");
  return absl::StrJoin(parts, ", ");
}

std::map<std::string, std::string> CudaStreams::LibraryCalls() const {
  std::map<std::string, std::string> calls;
  if (context_.products) {
    calls = context_.products->Algorithms(plan_);
  }
  if (context_.convolutions) {
    calls.merge(context_.convolutions->Engines(plan_));
  }
  return calls;
}

absl::Status CudaStreams::CudaStream::Record(uint32_t event) {
  RETURN_IF_ERROR(group_.failure_);
  return group_.Fail(group_.events_.Record(event, group_.handles_[index_]));
}

absl::Status CudaStreams::CudaStream::WaitFor(uint32_t event, uint64_t count,
                                              const Instance&) {
  RETURN_IF_ERROR(group_.failure_);
  return group_.Fail(
      group_.events_.WaitFor(event, count, group_.handles_[index_]));
}

// Serial and timed work is enqueued one by one, and some collectives wait on
// the host.
bool CudaStreams::UsesGraphs() const {
  return options_.graphs && !options_.serial && !options_.timed &&
         (context_.collectives == nullptr ||
          context_.collectives->can_be_captured());
}

absl::Status CudaStreams::EnqueueFunction(const FunctionView& function,
                                          uint64_t repetitions, bool has_run) {
  RETURN_IF_ERROR(failure_);
  // The first time libraries load what they need, which no capture allows.
  if (!has_run || !UsesGraphs()) {
    return StreamGroup::EnqueueFunction(function, repetitions, has_run);
  }
  std::unique_ptr<StepGraphs>& graphs = graphs_[&function];
  if (graphs == nullptr) {
    auto made = StepGraphs::Create(
        plan_, function, launches_,
        {context_, handles_, operations_, events_, pending_, client_});
    RETURN_IF_ERROR(Fail(made.status()));
    graphs = *std::move(made);
  }
  const auto issue = [&](const Instance& instance) {
    return StreamGroup::Enqueue(function, repetitions, instance);
  };
  const auto make_room = [&](size_t instructions) {
    return MakeRoom(instructions);
  };
  return Fail(graphs->Enqueue(repetitions, issue, make_room));
}

absl::Status CudaStreams::EnqueueOne(const Instance& instance) {
  RETURN_IF_ERROR(failure_);
  RETURN_IF_ERROR(MakeRoom(1));
  RETURN_IF_ERROR(Fail(WaitForRoom(instance.instruction->stream())));
  RETURN_IF_ERROR(Fail(Issue(instance)));
  return options_.serial
             ? Synchronize([&] { return client_.Describe(instance); })
             : absl::OkStatus();
}

absl::Status CudaStreams::MakeRoom(size_t instructions) {
  if (pending_.size() + instructions <= pending_.capacity() &&
      context_.downloads.HasRoomFor(kDownloadReserve)) {
    return absl::OkStatus();
  }
  return Synchronize([] { return std::string("the GPU to take more work"); });
}

// When its own queue is full, the driver waits for the GPU, without a deadline.
absl::Status CudaStreams::WaitForRoom(uint32_t stream) {
  // Each instruction is some of the thousand operations of that queue.
  constexpr uint32_t kMostUnderWay = 160;
  const auto has_room = [&] {
    return pending_.UnderWay(stream) < kMostUnderWay;
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

absl::Status CudaStreams::Issue(const Instance& instance) {
  const uint32_t stream = instance.instruction->stream();
  client_.Begin(instance);
  RETURN_IF_ERROR(pending_.Begin(handles_[stream]));
  RETURN_IF_ERROR(client_.Issue(instance, operations_[stream]));
  return pending_.End(instance, handles_[stream]);
}

absl::Status CudaStreams::WaitUntil(
    absl::FunctionRef<std::string()> owner,
    absl::FunctionRef<absl::StatusOr<bool>()> ready) {
  const auto text = [&] {
    return absl::StrCat(owner(), "; the first that is not done: ",
                        pending_.DescribeFirst(client_));
  };
  return options_.watchdog->Wait([&](const Deadline& deadline) {
    return PollUntil(deadline, text, [&]() -> absl::StatusOr<bool> {
      RETURN_IF_ERROR(pending_.Reap(client_));
      RETURN_IF_ERROR(CheckOthers());
      return ready();
    });
  });
}

// Of what other ranks end, the GPU knows nothing.
absl::Status CudaStreams::CheckOthers() const {
  if (context_.collectives == nullptr) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(options_.communicator->Health());
  return context_.collectives->Health();
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
  return launches_ == nullptr ? true : gpu_.driver().IsDone(launches_);
}

// An error is left to who waits.
bool CudaStreams::IsOutOfWork() const {
  for (size_t stream = 0; stream < handles_.size(); ++stream) {
    if (plan_.manifest().streams(static_cast<int>(stream)).kind() ==
            planpb::STREAM_COMPUTE &&
        !gpu_.driver().IsDone(handles_[stream]).value_or(false)) {
      return false;
    }
  }
  return gpu_.driver().IsDone(launches_).value_or(false);
}

absl::Status CudaStreams::Fail(const absl::Status& status) {
  if (status.ok() || !failure_.ok()) {
    return failure_;
  }
  failure_ = status;
  // Of what another rank has met with, this GPU knows nothing.
  const bool is_own = options_.communicator == nullptr ||
                      options_.communicator->Health() != status;
  if (is_own && absl::IsInternal(status)) {
    failure_ = absl::InternalError(absl::StrCat(
        status.message(), "; the first instruction not known to be done: ",
        pending_.DescribeFirst(client_),
        options_.serial ? ""
                        : " (a GPU reports its errors late; accel-run --serial "
                          "finds the instruction)"));
  }
  if (context_.collectives != nullptr) {
    context_.collectives->Abort();
  }
  if (is_own &&
      (absl::IsInternal(status) || absl::IsDeadlineExceeded(status))) {
    gpu_.Abandon();
  }
  return failure_;
}

void CudaStreams::Drain() {
  constexpr std::chrono::seconds kPatience(1);
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
    status.Update(status.ok() ? pending_.Reap(client_) : status);
  }
  if (!Fail(status).ok()) {
    Drain();
    return failure_;
  }
  context_.downloads.Deliver();
  pending_.Clear();
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
