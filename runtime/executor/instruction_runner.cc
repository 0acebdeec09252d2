// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per kind of instruction.
#include "runtime/executor/instruction_runner.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/collective_sizes.h"
#include "runtime/plan/element_type.h"

namespace accel::runtime {
namespace {

// Bytes that one thread fills or copies at least.
constexpr int64_t kBlock = int64_t{1} << 16;

template <typename T>
void Store(absl::Span<std::byte> dst, int64_t index, T value) {
  std::memcpy(&dst[index * sizeof(T)], &value, sizeof(T));
}

}  // namespace

InstructionRunner::InstructionRunner(CpuContext& context,
                                     const ThreadTeam& team)
    : context_(context), team_(team) {
  uint32_t arity = 0;
  for (const planpb::Kernel& kernel : context.plan.manifest().kernels()) {
    arity = std::max(arity, kernel.arity());
  }
  arguments_.resize(size_t{arity} * team.threads());
}

absl::Status InstructionRunner::Run(const Instance& instance) {
  iteration_ = instance.iteration;
  return VisitInstruction(*instance.instruction, *this);
}

absl::Span<std::byte> InstructionRunner::Bytes(
    const planpb::Instruction& instruction, uint32_t access) const {
  const ByteRange range = context_.layout.RangeOf(
      instruction.accesses(static_cast<int>(access)), iteration_);
  return absl::MakeSpan(context_.memory.At(range), range.size());
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Launch& launch) {
  ASSIGN_OR_RETURN(const uint64_t end,
                   EvaluateExtent(launch.end(), context_.layout.binding()));
  const size_t arity = launch.arguments_size();
  for (size_t i = 0; i < arity; ++i) {
    const uint32_t access = launch.arguments(static_cast<int>(i));
    std::byte* const pointer = Bytes(instruction, access).data();
    const uint64_t stride =
        instruction.accesses(static_cast<int>(access)).thread_stride();
    for (int thread = 0; thread < team_.threads(); ++thread) {
      arguments_[thread * arity + i] = pointer + thread * stride;
    }
  }
  const KernelFunction kernel = context_.program.kernels[launch.kernel()];
  team_.ParallelFor(static_cast<int64_t>(launch.begin()),
                    static_cast<int64_t>(end),
                    std::max<int64_t>(1, static_cast<int64_t>(launch.grain())),
                    [&](int thread, int64_t first, int64_t last) {
                      kernel(&arguments_[thread * arity], first, last);
                    });
  return absl::OkStatus();
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Fetch& fetch) {
  const int64_t round = static_cast<int64_t>(iteration_) + fetch.ahead();
  // Nothing comes after the last microbatch.
  if (round >= context_.batch.rounds()) {
    return absl::OkStatus();
  }
  for (const planpb::FetchField& field : fetch.fields()) {
    RETURN_IF_ERROR(
        FetchField(field.field(), round, Bytes(instruction, field.access())));
  }
  return absl::OkStatus();
}

absl::Status InstructionRunner::FetchField(uint32_t field, int64_t round,
                                           absl::Span<std::byte> dst) const {
  const planpb::SignatureField& wanted =
      context_.plan.manifest().signature(static_cast<int>(field));
  if (wanted.role() == planpb::SignatureField::ROLE_BUILTIN) {
    FillBuiltin(wanted, round, dst);
    return absl::OkStatus();
  }
  const size_t source = *context_.dataset_fields[field];
  const int64_t rows = context_.batch.microbatch();
  const size_t bytes = dst.size() / rows;
  for (int64_t row = 0; row < rows; ++row) {
    const auto sample = context_.batch.SampleOf(context_.step, round, row);
    RETURN_IF_ERROR(context_.dataset.Fill(sample.index, source,
                                          dst.subspan(row * bytes, bytes)));
  }
  return absl::OkStatus();
}

void InstructionRunner::FillBuiltin(const planpb::SignatureField& field,
                                    int64_t round,
                                    absl::Span<std::byte> dst) const {
  if (field.name() == "seed") {
    Store<int64_t>(dst, 0, context_.seed);
    return;
  }
  for (int64_t row = 0; row < context_.batch.microbatch(); ++row) {
    const auto sample = context_.batch.SampleOf(context_.step, round, row);
    if (field.name() == "sample_indices") {
      Store<int64_t>(dst, row, sample.index);
    } else {
      Store<float>(dst, row, sample.weight);
    }
  }
}

absl::Status InstructionRunner::Visit(const planpb::Instruction&,
                                      const planpb::Repeat&) {
  return absl::InternalError("a repeat was executed as an instruction");
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::ReadMetric& metric) {
  std::memcpy(&context_.metrics[metric.metric()],
              Bytes(instruction, metric.access()).data(), sizeof(double));
  return absl::OkStatus();
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Load& load) {
  return context_.loader.Run(load, context_.layout.binding(), team_,
                             Bytes(instruction, load.access()));
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Fill& fill) {
  const absl::Span<std::byte> dst = Bytes(instruction, fill.access());
  const auto size = static_cast<int64_t>(dst.size());
  if (fill.pattern().empty()) {
    team_.ParallelFor(0, size, kBlock, [&](int, int64_t begin, int64_t end) {
      std::memset(&dst[begin], 0, end - begin);
    });
    return absl::OkStatus();
  }
  const auto width = static_cast<int64_t>(fill.pattern().size());
  team_.ParallelFor(
      0, size / width, kBlock, [&](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          std::memcpy(&dst[i * width], fill.pattern().data(), width);
        }
      });
  return absl::OkStatus();
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Copy& copy) {
  const absl::Span<std::byte> from = Bytes(instruction, copy.source());
  const absl::Span<std::byte> to = Bytes(instruction, copy.destination());
  // A shard's buffer may have room for more than a rank owns.
  const size_t size = std::min(from.size(), to.size());
  team_.ParallelFor(0, static_cast<int64_t>(size), kBlock,
                    [&](int, int64_t begin, int64_t end) {
                      std::memcpy(&to[begin], &from[begin], end - begin);
                    });
  return absl::OkStatus();
}

absl::Status InstructionRunner::Visit(const planpb::Instruction& instruction,
                                      const planpb::Collective& collective) {
  RETURN_IF_ERROR(RunCollective(instruction, collective));
  if (context_.collective_delay.count() > 0) {
    // Nothing ever becomes ready: the deadline is the delay.
    Monitor monitor;
    WaitUntil(Deadline::After(context_.collective_delay),
              "a delay of collectives", monitor, [] { return false; })
        .IgnoreError();
  }
  return absl::OkStatus();
}

absl::Status InstructionRunner::RunCollective(
    const planpb::Instruction& instruction,
    const planpb::Collective& collective) const {
  ASSIGN_OR_RETURN(const CollectiveSizes sizes,
                   CollectiveSizes::Of(collective, context_.layout.binding()));
  CollectiveCall call;
  call.kind = collective.kind();
  call.reduction = collective.reduction();
  call.dtype = *ToDType(collective.dtype());
  call.elements = collective.shard().elements();
  call.granule = collective.shard().granule();
  call.sequence = collective.sequence();
  call.name = instruction.name();
  call.input =
      Bytes(instruction, collective.input_plus_one() - 1).first(sizes.input());
  call.output = Bytes(instruction, collective.output_plus_one() - 1)
                    .first(sizes.output());
  if (context_.communicator != nullptr) {
    return context_.communicator->Run(call);
  }
  // A rank alone owns everything and is its own sum.
  if (call.output.data() != call.input.data()) {
    std::memcpy(call.output.data(), call.input.data(), call.output.size());
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
