// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per kind of instruction.
#include "runtime/executor/instruction_issuer.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/collective_sizes.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {
namespace {

// The first `size` bytes.
ByteRange First(ByteRange range, uint64_t size) {
  range.end = range.begin + size;
  return range;
}

}  // namespace

InstructionIssuer::InstructionIssuer(IssueContext& context)
    : context_(context) {
  arguments_.reserve(context.plan.MostArguments());
}

absl::Status InstructionIssuer::Issue(const Instance& instance,
                                      Operations& operations) {
  iteration_ = instance.iteration;
  operations_ = &operations;
  return VisitInstruction(*instance.instruction, *this);
}

ByteRange InstructionIssuer::RangeOf(const planpb::Instruction& instruction,
                                     uint32_t access) const {
  return context_.layout.RangeOf(instruction.accesses(static_cast<int>(access)),
                                 iteration_);
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Launch& launch) {
  KernelLaunch issued;
  issued.kernel = launch.kernel();
  if (launch.has_part()) {
    ASSIGN_OR_RETURN(const OwnedRange owned,
                     OwnedElements(launch.part(), context_.layout.binding()));
    issued.elements = launch.part().elements();
    issued.owned = owned.size();
  }
  arguments_.clear();
  for (const uint32_t access : launch.arguments()) {
    arguments_.push_back(
        {RangeOf(instruction, access),
         instruction.accesses(static_cast<int>(access)).thread_stride()});
  }
  issued.arguments = arguments_;
  return operations_->Launch(issued);
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Fetch& fetch) {
  const int64_t iteration = static_cast<int64_t>(iteration_) + fetch.ahead();
  read_time_ = std::chrono::nanoseconds(0);
  // Nothing comes after the last microbatch.
  if (iteration >= context_.batches->batch().iterations()) {
    return absl::OkStatus();
  }
  for (const planpb::FetchField& field : fetch.fields()) {
    RETURN_IF_ERROR(operations_->Upload(
        RangeOf(instruction, field.access()), [&](absl::Span<std::byte> dst) {
          const auto begin = std::chrono::steady_clock::now();
          absl::Status read = context_.batches->Read(
              field.field(), context_.step, iteration, dst);
          read_time_ += std::chrono::steady_clock::now() - begin;
          if (!read.ok()) {
            // Not of the device that they were to be copied to.
            read.SetPayload(kDataErrorPayload, absl::Cord());
          }
          return read;
        }));
  }
  return absl::OkStatus();
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction&,
                                      const planpb::Repeat&) {
  return absl::InternalError("a repeat was executed as an instruction");
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::ReadMetric& metric) {
  double& value = context_.metrics[metric.metric()];
  return operations_->Download(
      First(RangeOf(instruction, metric.access()), sizeof value),
      absl::MakeSpan(reinterpret_cast<std::byte*>(&value), sizeof value));
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Load& load) {
  const ByteRange destination = RangeOf(instruction, load.access());
  const auto parallel = [this](int64_t count,
                               absl::FunctionRef<void(int64_t)> task) {
    operations_->ParallelFor(count, task);
  };
  const auto store = [&](uint64_t begin, uint64_t size,
                         WeightLoader::Read read) {
    ByteRange part = destination;
    part.begin += begin;
    return operations_->Upload(First(part, size), read);
  };
  return context_.loader.Run(load, context_.layout.binding(),
                             destination.size(), parallel, store);
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Fill& fill) {
  return operations_->Fill(RangeOf(instruction, fill.access()), fill.pattern());
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Copy& copy) {
  const ByteRange from = RangeOf(instruction, copy.source());
  const ByteRange to = RangeOf(instruction, copy.destination());
  // A shard's buffer may have room for more than a rank owns.
  const uint64_t size = std::min(from.size(), to.size());
  return operations_->Copy(First(from, size), First(to, size));
}

absl::Status InstructionIssuer::Visit(const planpb::Instruction& instruction,
                                      const planpb::Collective& collective) {
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
  RETURN_IF_ERROR(operations_->Collective(
      call,
      First(RangeOf(instruction, collective.input_plus_one() - 1),
            sizes.input()),
      First(RangeOf(instruction, collective.output_plus_one() - 1),
            sizes.output())));
  if (context_.collective_delay.count() > 0) {
    // Nothing ever becomes ready: the deadline is the delay.
    Monitor monitor;
    WaitUntil(Deadline::After(context_.collective_delay),
              "a delay of collectives", monitor, [] { return false; })
        .IgnoreError();
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
