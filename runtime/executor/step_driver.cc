// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Construction of the driver and the running of functions.
#include "runtime/executor/step_driver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/check_runnable.h"
#include "runtime/executor/initial_parameters.h"
#include "runtime/executor/step_digest.h"
#include "runtime/executor/trace_recorder.h"
#include "runtime/plan/verify/verify_plan.h"

namespace accel::runtime {
namespace {

void NoteDone(const ExecutorOptions& options, absl::string_view part) {
  if (options.part_done) {
    options.part_done(part);
  }
}

// Of all ranks together, while they wait for each other.
std::function<uint64_t()> GroupProgress(const Communicator* communicator) {
  if (communicator == nullptr) {
    return nullptr;
  }
  return [communicator] { return communicator->GroupProgress(); };
}

}  // namespace

StepDriver::StepDriver(const Plan& plan, const Dataset& dataset,
                       const ExecutorOptions& options, int threads,
                       MemoryLayout layout, const BatchPlan& batch,
                       ExternalFiles files)
    : plan_(plan),
      options_(options),
      threads_(threads),
      layout_(std::move(layout)),
      batches_(plan.view(), dataset, batch, options.seed),
      files_(std::move(files)),
      loader_(plan_, files_),
      watchdog_(options.timeout, GroupProgress(options.communicator)),
      context_{plan_.view(),
               layout_,
               &batches_,
               loader_,
               options.collective_delay,
               0,
               {}},
      step_end_(options.wants_end, options.communicator,
                plan.manifest().streams_size(), options.timeout) {
  issuers_.reserve(plan.manifest().streams_size());
  for (int stream = 0; stream < plan.manifest().streams_size(); ++stream) {
    issuers_.emplace_back(context_);
  }
}

StepDriver::~StepDriver() = default;

// Ranks divide samples and parameters only, as yet.
static absl::Status CheckMesh(const planpb::Mesh& mesh) {
  for (const planpb::AxisDegree& axis : mesh.axes()) {
    if (!IsDataAxis(axis.axis()) && axis.degree() != 1) {
      return absl::UnimplementedError(absl::StrCat(
          "expected a plan whose ranks lie along 'replica' or 'fsdp', got ",
          axis.degree(), " along '", MeshAxisName(axis.axis()),
          "', which accel-run cannot execute"));
    }
  }
  return absl::OkStatus();
}

absl::Status StepDriver::Verify(const PlanView& plan,
                                const MemoryLayout& layout) {
  RETURN_IF_ERROR(VerifyPlan(plan, layout));
  RETURN_IF_ERROR(CheckSharedSpace(plan));
  for (const FunctionView& function : plan.functions()) {
    RETURN_IF_ERROR(CheckRunnable(plan, function, layout));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<StepDriver>> StepDriver::Create(
    Vfs& vfs, const Plan& plan, Device& device, const Dataset& dataset,
    const ExecutorOptions& options) {
  const planpb::Manifest& manifest = plan.manifest();
  const RankBinding& binding = options.binding;
  if (binding.rank_count() > 1 && options.communicator == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", binding.rank(), " of ", binding.rank_count(),
                     ": expected a communicator, got none"));
  }
  // Each thread of a launch has a workspace of its own.
  if (binding.threads < static_cast<uint64_t>(device.threads())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected memory for the ", device.threads(),
        " threads of the device, got a binding of ", binding.threads));
  }
  RETURN_IF_ERROR(CheckMesh(manifest.mesh()));
  ASSIGN_OR_RETURN(MemoryLayout layout,
                   MemoryLayout::Create(plan.view(), binding));
  RETURN_IF_ERROR(Verify(plan.view(), layout));
  NoteDone(options, "verifying memory and schedule");
  ASSIGN_OR_RETURN(
      BatchPlan batch,
      BatchPlan::Create(
          options.global_batch, static_cast<int64_t>(manifest.microbatch()),
          static_cast<int64_t>(binding.rank_count()),
          static_cast<int64_t>(binding.rank()), BatchRules::Of(manifest)));
  batch.SetOrigin(options.origin);
  ASSIGN_OR_RETURN(ExternalFiles files,
                   ExternalFiles::Open(vfs, plan, options.weights_dir));
  std::unique_ptr<StepDriver> driver(
      new StepDriver(plan, dataset, options, device.threads(),
                     std::move(layout), batch, std::move(files)));
  if (options.evaluation != nullptr) {
    driver->evaluation_.emplace(
        plan.view(), *options.evaluation,
        BatchPlan::CreateOnce(options.evaluation->size(), batch.microbatch(),
                              static_cast<int64_t>(binding.rank_count()),
                              static_cast<int64_t>(binding.rank())),
        options.seed);
  }
  RETURN_IF_ERROR(driver->Load(device));
  return driver;
}

absl::Status StepDriver::Load(Device& device) {
  ASSIGN_OR_RETURN(code_, device.LoadCode(plan_));
  NoteDone(options_, "loading code");
  Communicator* const group = options_.communicator;
  SharedAllocator shared;
  if (group != nullptr) {
    shared = [group](uint64_t bytes) {
      return group->AllocateShared(bytes, "gathered buckets");
    };
  }
  ASSIGN_OR_RETURN(memory_, device.Allocate(plan_.view(), layout_, shared));
  state_ = std::make_unique<RankState>(plan_, layout_, *memory_, group);
  RETURN_IF_ERROR(state_->LoadConstants());
  NoteDone(options_, "allocating memory");
  StreamOptions options;
  options.serial = options_.serial;
  options.graphs = options_.graphs;
  options.timed = options_.trace != nullptr;
  options.tuned = options_.tuned;
  options.communicator = group;
  options.watchdog = &watchdog_;
  ASSIGN_OR_RETURN(streams_, device.CreateStreams(plan_.view(), *code_,
                                                  *memory_, *this, options));
  return absl::OkStatus();
}

absl::Status StepDriver::Initialize(Restore restore) {
  RETURN_IF_ERROR(failure_);
  const FunctionView& function = *FindFunction(planpb::FUNCTION_INITIALIZE);
  if (restore == nullptr) {
    RETURN_IF_ERROR(RunFunction(function, 0));
  } else {
    ASSIGN_OR_RETURN(const uint32_t point,
                     FindFirstUseOfParameters(plan_.view(), function));
    const auto parameters = [&] {
      return restore(*this, RestoredPart::kParameters);
    };
    RETURN_IF_ERROR(RunFunction(function, 0, Observer{point, parameters}));
    failure_ = restore(*this, RestoredPart::kOthers);
  }
  loader_.Forget();
  return failure_;
}

absl::StatusOr<std::vector<double>> StepDriver::Run(planpb::FunctionRole role,
                                                    int64_t step) {
  RETURN_IF_ERROR(failure_);
  const FunctionView* const function = FindFunction(role);
  if (function == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan has no function to ", RoleName(role)));
  }
  RETURN_IF_ERROR(role == planpb::FUNCTION_STEP ? CountAndStep(step)
                                                : RunFunction(*function, step));
  return FinishStep(step);
}

absl::Status StepDriver::CountAndStep(int64_t step,
                                      const std::optional<Observer>& observer) {
  std::chrono::nanoseconds waited{0};
  if (const FunctionView* const count = FindFunction(planpb::FUNCTION_COUNT)) {
    RETURN_IF_ERROR(RunFunction(*count, step));
    waited = data_wait_;
  }
  RETURN_IF_ERROR(
      RunFunction(*FindFunction(planpb::FUNCTION_STEP), step, observer));
  data_wait_ += waited;
  return absl::OkStatus();
}

absl::Status StepDriver::UndoStep() {
  failure_ = WriteScalars(scalars_before_);
  return failure_.ok() ? absl::CancelledError("the step was given up")
                       : failure_;
}

absl::StatusOr<std::vector<double>> StepDriver::RunObservedStep(
    int64_t step, absl::FunctionRef<absl::Status()> observe) {
  RETURN_IF_ERROR(failure_);
  const FunctionView& function = *FindFunction(planpb::FUNCTION_STEP);
  const uint32_t point = function.function().gradients_complete_plus_one();
  if (point == 0) {
    return absl::FailedPreconditionError(
        "the plan does not say where its gradients are complete");
  }
  RETURN_IF_ERROR(CountAndStep(step, Observer{point - 1, observe}));
  return FinishStep(step);
}

absl::Status StepDriver::RunFunction(const FunctionView& function, int64_t step,
                                     const std::optional<Observer>& observer) {
  Begin(function, step);
  const uint64_t repetitions = Repetitions();
  const bool can_end = function.role() == planpb::FUNCTION_STEP &&
                       step_end_.CanEnd(function, repetitions);
  if (can_end) {
    RETURN_IF_ERROR(ReadScalars(scalars_before_));
  }
  step_end_.Begin(function, repetitions, step, can_end);
  streams_->Reset();
  failure_ = EnqueueAll(observer);
  // Also after an error, which may be that of an observer: then the streams end
  // what they have.
  failure_.Update(Synchronize());
  has_run_.insert(&function);
  return failure_;
}

void StepDriver::Begin(const FunctionView& function, int64_t step) {
  function_ = &function;
  context_.batches = &BatchesOf(function.role());
  context_.step = step;
  data_wait_ = std::chrono::nanoseconds(0);
  context_.metrics.assign(plan_.manifest().metrics_size(),
                          std::numeric_limits<double>::quiet_NaN());
}

absl::Status StepDriver::Execute(const FunctionView& function, int64_t step,
                                 const Instance& instance) {
  RETURN_IF_ERROR(failure_);
  Begin(function, step);
  failure_ = ExecuteAlone(instance);
  return failure_;
}

// Nothing else is under way, so nothing is waited for. Other ranks do the same,
// so collectives find all of them.
absl::Status StepDriver::ExecuteAlone(const Instance& instance) {
  RETURN_IF_ERROR(
      streams_->stream(instance.instruction->stream()).Enqueue(instance));
  return Synchronize();
}

absl::Status StepDriver::EnqueueAll(const std::optional<Observer>& observer) {
  const uint64_t repetitions = Repetitions();
  if (!observer) {
    return streams_->EnqueueFunction(*function_, repetitions,
                                     has_run_.count(function_) != 0);
  }
  const auto look = [&]() -> absl::Status {
    RETURN_IF_ERROR(Synchronize());
    return step_end_.given_up() ? absl::OkStatus() : observer->observe();
  };
  bool looked = false;
  RETURN_IF_ERROR(function_->Walk(
      repetitions, [&](const Instance& instance) -> absl::Status {
        if (!looked && instance.instruction->id() >= observer->point) {
          looked = true;
          RETURN_IF_ERROR(look());
        }
        return streams_->Enqueue(*function_, repetitions, instance);
      }));
  return looked ? absl::OkStatus() : look();
}

absl::Status StepDriver::Synchronize() {
  return streams_->Synchronize([this] {
    return absl::StrCat("the other streams to finish '", function_->name(),
                        "'");
  });
}

absl::Status StepDriver::Replay(const FunctionView& function, uint32_t point,
                                FaultSearch& search) {
  streams_->Reset();
  RETURN_IF_ERROR(search.CheckParameters());
  bool complete = false;
  RETURN_IF_ERROR(function.Walk(
      Repetitions(), [&](const Instance& instance) -> absl::Status {
        complete |= instance.instruction->id() >= point;
        if (complete) {
          return absl::OkStatus();
        }
        RETURN_IF_ERROR(ExecuteAlone(instance));
        return search.CheckInstruction(function, instance);
      }));
  return search.FindLargestGradient();
}

absl::StatusOr<ReplayReport> StepDriver::ReplayStep(int64_t step) {
  RETURN_IF_ERROR(failure_);
  const FunctionView& function = *FindFunction(planpb::FUNCTION_STEP);
  const uint32_t point = function.function().gradients_complete_plus_one();
  if (point == 0) {
    return absl::FailedPreconditionError(
        "the plan does not say where its gradients are complete");
  }
  FaultSearch search(plan_.view(), layout_, *memory_, batches_, step, [this] {
    watchdog_.NoteProgress();
    if (options_.communicator != nullptr) {
      options_.communicator->ReportProgress();
    }
  });
  Begin(function, step);
  step_end_.Begin(function, 0, step, /*can_end=*/false);
  std::vector<std::byte> scalars;
  is_replaying_ = true;
  failure_ = ReadScalars(scalars);
  failure_.Update(Replay(function, point - 1, search));
  is_replaying_ = false;
  // Some instructions in front of the update count steps.
  if (failure_.ok()) {
    failure_ = WriteScalars(scalars);
  }
  RETURN_IF_ERROR(failure_);
  auto report = AgreeOnReport(options_.communicator, search.report());
  failure_ = report.status();
  return report;
}

absl::Status StepDriver::ForScalars(
    std::vector<std::byte>& bytes,
    absl::FunctionRef<absl::Status(uint32_t buffer, absl::Span<std::byte> part)>
        use) const {
  size_t offset = 0;
  for (const planpb::State& state : plan_.manifest().states()) {
    if (state.kind() != planpb::State::KIND_COUNTER &&
        state.kind() != planpb::State::KIND_SCALE) {
      continue;
    }
    const auto size = static_cast<size_t>(layout_.BufferBytes(state.buffer()));
    bytes.resize(std::max(bytes.size(), offset + size));
    RETURN_IF_ERROR(
        use(state.buffer(), absl::MakeSpan(bytes).subspan(offset, size)));
    offset += size;
  }
  return absl::OkStatus();
}

absl::Status StepDriver::ReadScalars(std::vector<std::byte>& bytes) const {
  return ForScalars(bytes, [&](uint32_t buffer, absl::Span<std::byte> part) {
    return state_->Read(buffer, 0, part);
  });
}

absl::Status StepDriver::WriteScalars(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> copy = bytes;
  return ForScalars(copy, [&](uint32_t buffer, absl::Span<std::byte> part) {
    return state_->Write(buffer, 0, part);
  });
}

absl::StatusOr<std::vector<double>> StepDriver::FinishStep(int64_t step) {
  if (step_end_.given_up()) {
    return UndoStep();
  }
  if (options_.communicator != nullptr) {
    auto longest = CompareDigests(
        *options_.communicator, step,
        StepDigest(context_.batches->dataset(), context_.batches->batch(), step,
                   options_.seed),
        data_wait_);
    failure_ = longest.status();
    RETURN_IF_ERROR(failure_);
    data_wait_ = *longest;
  }
  return context_.metrics;
}

void StepDriver::Begin(const Instance& instance) {
  if (options_.before_instruction) {
    options_.before_instruction(*instance.instruction);
  }
}

absl::Status StepDriver::Issue(const Instance& instance,
                               Operations& operations) {
  ASSIGN_OR_RETURN(const bool left_out, step_end_.LeavesOut(instance));
  if (left_out) {
    return absl::OkStatus();
  }
  InstructionIssuer& issuer = issuers_[instance.instruction->stream()];
  const bool fetches = instance.instruction->has_fetch();
  const Clock::time_point begin = fetches ? Clock::now() : Clock::time_point();
  const absl::Status status = issuer.Issue(instance, operations);
  if (fetches) {
    // Without streams nothing is computed meanwhile. A device to which this
    // thread enqueues has computed, if there was enough for it to do.
    if (options_.serial) {
      data_wait_ += Clock::now() - begin;
    } else if (streams_->IsOutOfWork()) {
      data_wait_ += issuer.read_time();
    }
  }
  return status.ok() ? status : Annotate(status, Describe(instance));
}

void StepDriver::Waited(uint32_t event, const Instance& waiter,
                        std::chrono::nanoseconds time) {
  const auto stream = static_cast<int>(waiter.instruction->stream());
  const planpb::Instruction& signaller =
      function_->instructions()[function_->SignallerOf(event)];
  if (signaller.has_fetch() &&
      plan_.manifest().streams(stream).kind() == planpb::STREAM_COMPUTE) {
    data_wait_ += time;
  }
}

std::optional<std::chrono::nanoseconds> StepDriver::DataWait() const {
  return streams_->TellsDataWait() ? std::optional(data_wait_) : std::nullopt;
}

absl::Status StepDriver::Finish(const Instance& instance,
                                Clock::time_point begin,
                                Clock::time_point end) {
  watchdog_.NoteProgress();
  if (options_.trace != nullptr && !is_replaying_ &&
      function_->role() == planpb::FUNCTION_STEP) {
    options_.trace->Record(options_.binding.rank(), *instance.instruction,
                           context_.step, instance.iteration, begin, end);
  }
  if (options_.communicator == nullptr) {
    return absl::OkStatus();
  }
  options_.communicator->ReportProgress();
  // Another rank's end is known here although nobody waits for it.
  return options_.communicator->Health();
}

std::string StepDriver::Describe(const Instance& instance) const {
  return plan_.view().Describe(*function_, *instance.instruction);
}

std::string StepDriver::DescribeWait(uint32_t event,
                                     const Instance& waiter) const {
  const planpb::Instruction& signaller =
      function_->instructions()[function_->SignallerOf(event)];
  return absl::StrCat("event ", event, " of ",
                      plan_.view().Describe(*function_, signaller), ", in ",
                      Describe(waiter));
}

absl::Status StepDriver::ReadBuffer(uint32_t buffer, uint64_t offset,
                                    absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(failure_);
  return state_->Read(buffer, offset, dst);
}

absl::Status StepDriver::WriteBuffer(uint32_t buffer, uint64_t offset,
                                     absl::Span<const std::byte> src) {
  RETURN_IF_ERROR(failure_);
  return state_->Write(buffer, offset, src);
}

absl::StatusOr<OwnedRange> StepDriver::HeldElements(
    const SlotTensor& slot) const {
  return slot.IsSharded() ? OwnedElements(slot.shard, options_.binding)
                          : OwnedRange{0, slot.shard.elements()};
}

absl::Status StepDriver::ReadHeld(const SlotTensor& slot, uint64_t first,
                                  absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(failure_);
  ASSIGN_OR_RETURN(const uint64_t offset,
                   OffsetOfHeld(layout_, slot, first, dst.size()));
  return state_->Read(slot.buffer, offset, dst);
}

absl::Status StepDriver::WriteHeld(const SlotTensor& slot, uint64_t first,
                                   absl::Span<const std::byte> src) {
  RETURN_IF_ERROR(failure_);
  ASSIGN_OR_RETURN(const uint64_t offset,
                   OffsetOfHeld(layout_, slot, first, src.size()));
  return state_->Write(slot.buffer, offset, src);
}

absl::Status StepDriver::ReadTensor(const SlotTensor& slot, uint64_t first,
                                    uint64_t elements,
                                    absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(failure_);
  return state_->ReadTensor(slot, first, elements, dst);
}

std::string StepDriver::Describe() const {
  const std::string variant = code_->variant();
  const std::string streams = streams_->Describe();
  return absl::StrCat(variant.empty() ? "no code" : variant, ", ", threads_,
                      threads_ == 1 ? " thread" : " threads",
                      streams.empty() ? "" : ", ", streams);
}

}  // namespace accel::runtime
