// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Construction of the CPU executor and the running of functions.
#include "runtime/executor/cpu_executor.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/step_digest.h"
#include "runtime/executor/trace_recorder.h"
#include "runtime/plan/element_type.h"
#include "runtime/plan/verify_launches.h"
#include "runtime/plan/verify_memory.h"
#include "runtime/plan/verify_schedule.h"

namespace accel::runtime {
namespace {

// Of a tensor that ranks read together.
constexpr uint64_t kSharedPieceBytes = uint64_t{4} << 20;

bool ComesFromData(const planpb::SignatureField& field) {
  return field.role() != planpb::SignatureField::ROLE_BUILTIN;
}

// The lane of the calling thread.
uint32_t ComputeLane(const planpb::Manifest& manifest) {
  for (int i = 0; i < manifest.lanes_size(); ++i) {
    if (manifest.lanes(i).kind() == planpb::LANE_COMPUTE) {
      return static_cast<uint32_t>(i);
    }
  }
  return 0;
}

void NoteDone(const ExecutorOptions& options, absl::string_view part) {
  if (options.part_done) {
    options.part_done(part);
  }
}

absl::Status VerifyAll(const PlanView& plan, const MemoryLayout& layout) {
  RETURN_IF_ERROR(VerifyLaunches(plan, layout));
  RETURN_IF_ERROR(VerifyMemory(plan, layout));
  RETURN_IF_ERROR(VerifySchedule(plan, layout));
  RETURN_IF_ERROR(CheckSharedSpace(plan));
  for (const FunctionView& function : plan.functions()) {
    RETURN_IF_ERROR(CheckRunnable(plan, function, layout));
  }
  return absl::OkStatus();
}

SignatureField::Fill ToFill(planpb::SignatureField::Fill fill) {
  switch (fill) {
    case planpb::SignatureField::FILL_TOKENS:
      return SignatureField::Fill::kTokens;
    case planpb::SignatureField::FILL_ONES:
      return SignatureField::Fill::kOnes;
    case planpb::SignatureField::FILL_POSITIONS:
      return SignatureField::Fill::kPositions;
    default:
      return SignatureField::Fill::kNone;
  }
}

}  // namespace

std::vector<SignatureField> DataSignature(const planpb::Manifest& manifest) {
  std::vector<SignatureField> fields;
  for (const planpb::SignatureField& field : manifest.signature()) {
    if (!ComesFromData(field)) {
      continue;
    }
    SignatureField converted;
    converted.name = field.name();
    converted.shape.assign(field.shape().begin(), field.shape().end());
    converted.dtype = *ToDType(field.dtype());
    converted.min_value = field.min_value();
    converted.max_value = field.max_value();
    converted.role = field.role() == planpb::SignatureField::ROLE_TARGET
                         ? SignatureField::Role::kTarget
                         : SignatureField::Role::kInput;
    converted.fill = ToFill(field.fill());
    fields.push_back(std::move(converted));
  }
  return fields;
}

CpuExecutor::CpuExecutor(const Plan& plan, const CpuDevice& device,
                         const ExecutorOptions& options, MemoryLayout layout,
                         BatchPlan batch, ExternalFiles files)
    : plan_(plan),
      team_(device.team()),
      options_(options),
      layout_(std::move(layout)),
      batch_(batch),
      files_(std::move(files)),
      loader_(plan_, files_) {}

CpuExecutor::~CpuExecutor() = default;

absl::StatusOr<std::unique_ptr<CpuExecutor>> CpuExecutor::Create(
    Vfs& vfs, const Plan& plan, CpuDevice& device, const Dataset& dataset,
    const ExecutorOptions& options) {
  const planpb::Manifest& manifest = plan.manifest();
  const RankBinding& binding = options.binding;
  if (binding.rank_count() > 1 && options.communicator == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", binding.rank(), " of ", binding.rank_count(),
                     ": expected a communicator, got none"));
  }
  ASSIGN_OR_RETURN(MemoryLayout layout,
                   MemoryLayout::Create(plan.view(), binding));
  RETURN_IF_ERROR(VerifyAll(plan.view(), layout));
  NoteDone(options, "verifying memory and schedule");
  ASSIGN_OR_RETURN(
      const BatchPlan batch,
      BatchPlan::Create(
          options.global_batch, static_cast<int64_t>(manifest.microbatch()),
          static_cast<int64_t>(binding.rank_count()),
          static_cast<int64_t>(binding.rank()), manifest.forbids_padding()));
  ASSIGN_OR_RETURN(ExternalFiles files, ExternalFiles::Open(vfs, plan));
  std::unique_ptr<CpuExecutor> executor(new CpuExecutor(
      plan, device, options, std::move(layout), batch, std::move(files)));
  RETURN_IF_ERROR(executor->Load(device));
  RETURN_IF_ERROR(executor->MakeLanes(dataset));
  return executor;
}

absl::Status CpuExecutor::Load(CpuDevice& device) {
  ASSIGN_OR_RETURN(program_, device.LoadProgram(plan_));
  NoteDone(options_, "loading code");
  SharedAllocator shared;
  if (Communicator* const group = options_.communicator; group != nullptr) {
    shared = [group](uint64_t bytes) {
      return group->AllocateShared(bytes, "gathered buckets");
    };
  }
  ASSIGN_OR_RETURN(memory_, device.AllocateCpu(plan_.view(), layout_, shared));
  RETURN_IF_ERROR(LoadConstants());
  NoteDone(options_, "allocating memory");
  return absl::OkStatus();
}

absl::Status CpuExecutor::LoadConstants() {
  const auto& buffers = plan_.manifest().buffers();
  for (int i = 0; i < buffers.size(); ++i) {
    if (buffers[i].region() != planpb::REGION_CONSTANT) {
      continue;
    }
    const planpb::SectionRange& content = buffers[i].content();
    std::byte* const data =
        memory_->At(layout_.RangeOf(static_cast<uint32_t>(i), 0));
    RETURN_IF_ERROR(plan_.content().Read(content.section(), content.offset(),
                                         absl::MakeSpan(data, content.size())));
  }
  return absl::OkStatus();
}

absl::Status CpuExecutor::MakeLanes(const Dataset& dataset) {
  const planpb::Manifest& manifest = plan_.manifest();
  context_ = std::make_unique<CpuContext>(CpuContext{plan_.view(),
                                                     layout_,
                                                     *memory_,
                                                     program_,
                                                     loader_,
                                                     dataset,
                                                     batch_,
                                                     options_.communicator,
                                                     options_.collective_delay,
                                                     options_.seed,
                                                     {},
                                                     0,
                                                     {}});
  size_t next = 0;
  for (const planpb::SignatureField& field : manifest.signature()) {
    context_->dataset_fields.push_back(
        ComesFromData(field) ? std::optional<size_t>(next++) : std::nullopt);
  }
  const uint32_t compute = ComputeLane(manifest);
  lanes_.reserve(manifest.lanes_size());
  for (uint32_t lane = 0; lane < static_cast<uint32_t>(manifest.lanes_size());
       ++lane) {
    lanes_.emplace_back(*context_, lane == compute ? team_ : single_);
  }
  if (!options_.serial) {
    std::function<uint64_t()> others;
    if (Communicator* const group = options_.communicator; group != nullptr) {
      others = [group] { return group->GroupProgress(); };
    }
    ASSIGN_OR_RETURN(runner_,
                     LaneRunner::Create(plan_.view(), ThreadOfLanes(compute),
                                        options_.timeout, std::move(others)));
  }
  return absl::OkStatus();
}

// The compute lane's is the calling thread. Each other lane has its own, so
// that fetches do not wait behind collectives. A rank alone waits for nobody in
// a collective: one thread for all of them wakes less often.
std::vector<uint32_t> CpuExecutor::ThreadOfLanes(uint32_t compute) const {
  std::vector<uint32_t> threads(lanes_.size(), 0);
  uint32_t next = 1;
  for (uint32_t lane = 0; lane < threads.size(); ++lane) {
    if (lane != compute) {
      threads[lane] = options_.communicator == nullptr ? 1 : next++;
    }
  }
  return threads;
}

absl::Status CpuExecutor::Execute(const FunctionView& function,
                                  const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  if (options_.before_instruction) {
    options_.before_instruction(instruction);
  }
  using Clock = TraceRecorder::Clock;
  const bool traced = options_.trace != nullptr &&
                      function.role() != planpb::FUNCTION_INITIALIZE;
  const auto begin = traced ? Clock::now() : Clock::time_point();
  const absl::Status status = lanes_[instruction.lane()].Run(instance);
  if (traced) {
    options_.trace->Record(options_.binding.rank(), instruction, context_->step,
                           instance.iteration, begin, Clock::now());
  }
  if (options_.communicator != nullptr) {
    options_.communicator->ReportProgress();
  }
  if (status.ok()) {
    // Another rank's end is known here although nobody waits for it.
    return options_.communicator == nullptr ? status
                                            : options_.communicator->Health();
  }
  absl::Status located =
      Annotate(status, plan_.view().Describe(function, instruction));
  if (instruction.has_fetch()) {
    located.SetPayload(kDataErrorPayload, absl::Cord());
  }
  return located;
}

void CpuExecutor::BeginFunction(int64_t step) {
  context_->step = step;
  context_->metrics.assign(plan_.manifest().metrics_size(),
                           std::numeric_limits<double>::quiet_NaN());
}

absl::Status CpuExecutor::RunFunction(planpb::FunctionRole role, int64_t step) {
  RETURN_IF_ERROR(failure_);
  const FunctionView* const found = plan_.view().FindFunction(role);
  if (found == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan has no function to ", RoleName(role)));
  }
  const FunctionView& function = *found;
  BeginFunction(step);
  const auto rounds = static_cast<uint64_t>(batch_.rounds());
  const auto execute = [this](const FunctionView& f, const Instance& i) {
    return Execute(f, i);
  };
  if (runner_ != nullptr) {
    failure_ = runner_->Run(function, rounds, execute);
  } else {
    failure_ = function.Walk(rounds, [&](const Instance& instance) {
      return Execute(function, instance);
    });
  }
  return failure_;
}

absl::Status CpuExecutor::Initialize() {
  const absl::Status status = RunFunction(planpb::FUNCTION_INITIALIZE, 0);
  loader_.Forget();
  return status;
}

absl::StatusOr<std::vector<double>> CpuExecutor::Run(planpb::FunctionRole role,
                                                     int64_t step) {
  RETURN_IF_ERROR(RunFunction(role, step));
  RETURN_IF_ERROR(FinishStep(step));
  return context_->metrics;
}

absl::Status CpuExecutor::FinishStep(int64_t step) {
  if (options_.communicator != nullptr) {
    failure_ = CompareDigests(*options_.communicator, step,
                              StepDigest(context_->dataset, step, options_.seed,
                                         batch_.global_batch()));
  }
  return failure_;
}

absl::StatusOr<std::vector<double>> CpuExecutor::RunObservedStep(
    int64_t step, absl::FunctionRef<absl::Status()> observe) {
  RETURN_IF_ERROR(failure_);
  const FunctionView& function =
      *plan_.view().FindFunction(planpb::FUNCTION_STEP);
  const uint32_t point = function.function().gradients_complete_plus_one();
  if (point == 0) {
    return absl::FailedPreconditionError(
        "the plan does not say where its gradients are complete");
  }
  BeginFunction(step);
  failure_ = function.Walk(static_cast<uint64_t>(batch_.rounds()),
                           [&](const Instance& instance) {
                             if (instance.instruction->id() + 1 == point) {
                               RETURN_IF_ERROR(observe());
                             }
                             return Execute(function, instance);
                           });
  RETURN_IF_ERROR(failure_);
  RETURN_IF_ERROR(FinishStep(step));
  return context_->metrics;
}

absl::StatusOr<ByteRange> CpuExecutor::PersistentRange(uint32_t buffer,
                                                       uint64_t offset,
                                                       uint64_t size) const {
  RETURN_IF_ERROR(failure_);
  ByteRange range = layout_.RangeOf(buffer, 0);
  if (offset > range.size() || size > range.size() - offset) {
    return absl::OutOfRangeError(absl::StrCat(
        "buffer '", plan_.view().buffer(buffer).name(), "': bytes [", offset,
        ", +", size, ") do not lie in its ", range.size()));
  }
  range.begin += offset;
  range.end = range.begin + size;
  return range;
}

absl::Status CpuExecutor::ReadBuffer(uint32_t buffer, uint64_t offset,
                                     absl::Span<std::byte> dst) const {
  ASSIGN_OR_RETURN(const ByteRange range,
                   PersistentRange(buffer, offset, dst.size()));
  return memory_->Read(range, dst);
}

absl::Status CpuExecutor::ReadTensor(const SlotTensor& slot, uint64_t first,
                                     uint64_t elements,
                                     absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(failure_);
  RETURN_IF_ERROR(CheckSlotRange(plan_.view(), slot, first, elements));
  if (!slot.IsSharded() || layout_.binding().rank_count() == 1) {
    return dst.empty() ? absl::OkStatus()
                       : ReadBuffer(slot.buffer, first * slot.width, dst);
  }
  const uint64_t step = kSharedPieceBytes / slot.width;
  for (const uint64_t end = first + elements; first < end;) {
    ASSIGN_OR_RETURN(
        const SlotPiece piece,
        FindPiece(layout_, slot, first, std::min(step, end - first)));
    const uint64_t bytes = piece.elements * slot.width;
    RETURN_IF_ERROR(
        ShareTensor(slot, piece, dst.empty() ? dst : dst.first(bytes)));
    dst.remove_prefix(dst.empty() ? 0 : bytes);
    first += piece.elements;
  }
  return absl::OkStatus();
}

absl::Status CpuExecutor::ShareTensor(const SlotTensor& slot,
                                      const SlotPiece& piece,
                                      absl::Span<std::byte> dst) const {
  const uint64_t bytes = piece.elements * slot.width;
  std::vector<std::byte> unused(dst.empty() ? bytes : 0);
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BROADCAST;
  call.dtype = DType::kU8;
  call.elements = bytes;
  call.root = static_cast<uint32_t>(piece.rank);
  call.name = plan_.view().buffer(slot.buffer).name();
  call.output = dst.empty() ? absl::MakeSpan(unused) : dst;
  if (piece.rank == layout_.binding().rank()) {
    ASSIGN_OR_RETURN(const ByteRange range,
                     PersistentRange(slot.buffer, piece.offset, bytes));
    call.input = absl::MakeConstSpan(memory_->At(range), bytes);
  }
  return options_.communicator->Run(call);
}

absl::Status CpuExecutor::WriteBuffer(uint32_t buffer, uint64_t offset,
                                      absl::Span<const std::byte> src) {
  ASSIGN_OR_RETURN(const ByteRange range,
                   PersistentRange(buffer, offset, src.size()));
  return memory_->Write(range, src);
}

std::string CpuExecutor::Describe() const {
  return absl::StrCat(program_.variant.empty() ? "no code" : program_.variant,
                      ", ", team_.threads(),
                      team_.threads() == 1 ? " thread" : " threads");
}

}  // namespace accel::runtime
