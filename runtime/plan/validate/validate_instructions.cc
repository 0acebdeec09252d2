// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of instructions: what they refer to and touch, and that each body uses
// it in the way that its accesses claim.
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/visitor.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"
#include "runtime/plan/validate/validate_bodies.h"

namespace accel::runtime {
namespace {

// Checks the body of one instruction against its accesses.
class BodyValidator : public InstructionVisitor {
 public:
  BodyValidator(const planpb::Manifest& manifest, const FunctionView& function)
      : manifest_(manifest), function_(function) {}

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Launch& launch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fetch& fetch) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Repeat& repeat) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::ReadMetric& metric) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Load& load) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fill& fill) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Copy& copy) override;
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Collective& collective) override;

 private:
  using Use = InstructionAccesses::Use;

  InstructionAccesses AccessesOf(const planpb::Instruction& instruction) const {
    return {manifest_, instruction};
  }

  const planpb::Manifest& manifest_;
  const FunctionView& function_;
};

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Launch& launch) {
  RETURN_IF_ERROR(
      CheckIndex("kernel", launch.kernel(), manifest_.kernels_size()));
  const planpb::Kernel& kernel =
      manifest_.kernels(static_cast<int>(launch.kernel()));
  if (launch.arguments_size() != static_cast<int>(kernel.arity())) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel '", kernel.name(), "': expected ", kernel.arity(),
                     " arguments, got ", launch.arguments_size()));
  }
  const InstructionAccesses accesses = AccessesOf(instruction);
  for (const uint32_t argument : launch.arguments()) {
    RETURN_IF_ERROR(accesses.CheckUse("argument", argument, Use::kAny));
  }
  return launch.has_part() ? ValidateShard(launch.part()) : absl::OkStatus();
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Fetch& fetch) {
  if (fetch.ahead() > 1 ||
      (fetch.ahead() == 1 && !function_.RepeatOf(instruction.id()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a fetch ", fetch.ahead(), " ahead: expected 0, or 1 in a repeat"));
  }
  const InstructionAccesses accesses = AccessesOf(instruction);
  for (const planpb::FetchField& field : fetch.fields()) {
    RETURN_IF_ERROR(
        CheckIndex("field", field.field(), manifest_.signature_size()));
    const planpb::SignatureField& wanted =
        manifest_.signature(static_cast<int>(field.field()));
    RETURN_IF_ERROR(
        accesses.CheckUse(wanted.name(), field.access(), Use::kWrite));
    const uint64_t bytes =
        *ElementBytes(wanted.dtype(), *ElementCount(wanted.shape()));
    const auto room = accesses.BytesOf(field.access());
    if (room != bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("field '", wanted.name(), "': expected an access of ",
                       bytes, " bytes, got ", room.value_or(0)));
    }
  }
  return absl::OkStatus();
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Repeat&) {
  if (instruction.waits_size() + instruction.signals_size() +
          instruction.accesses_size() >
      0) {
    return absl::InvalidArgumentError(
        "a repeat has neither events nor accesses");
  }
  return absl::OkStatus();
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::ReadMetric& metric) {
  RETURN_IF_ERROR(
      CheckIndex("metric", metric.metric(), manifest_.metrics_size()));
  const InstructionAccesses accesses = AccessesOf(instruction);
  RETURN_IF_ERROR(accesses.CheckUse("metric", metric.access(), Use::kRead));
  if (accesses[metric.access()].has_shard()) {
    return absl::InvalidArgumentError(
        "metric: a rank's part of a buffer, which may be empty");
  }
  return accesses.CheckRoom("metric", metric.access(), sizeof(double));
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Load& load) {
  return ValidateLoad(manifest_, AccessesOf(instruction), load);
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Fill& fill) {
  return AccessesOf(instruction)
      .CheckUse("destination", fill.access(), Use::kWrite);
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Copy& copy) {
  const InstructionAccesses accesses = AccessesOf(instruction);
  RETURN_IF_ERROR(accesses.CheckUse("source", copy.source(), Use::kRead));
  return accesses.CheckUse("destination", copy.destination(), Use::kWrite);
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Collective& collective) {
  return ValidateCollective(manifest_, AccessesOf(instruction), collective);
}

absl::Status ValidateInstruction(const planpb::Manifest& manifest,
                                 const planpb::Instruction& instruction,
                                 BodyValidator& body) {
  RETURN_IF_ERROR(
      CheckIndex("stream", instruction.stream(), manifest.streams_size()));
  if (instruction.source_plus_one() != 0) {
    RETURN_IF_ERROR(CheckIndex("source", instruction.source_plus_one() - 1,
                               manifest.sources_size()));
  }
  if (instruction.block_plus_one() != 0) {
    RETURN_IF_ERROR(CheckIndex("bucket", instruction.block_plus_one() - 1,
                               manifest.buckets_size()));
  }
  // Each layer has a bucket of its own.
  if (instruction.layer_plus_one() != 0) {
    RETURN_IF_ERROR(CheckIndex("layer", instruction.layer_plus_one() - 1,
                               manifest.buckets_size()));
  }
  RETURN_IF_ERROR(InstructionAccesses(manifest, instruction).Validate());
  return VisitInstruction(instruction, body);
}

}  // namespace

absl::Status ValidateInstructions(const planpb::Manifest& manifest,
                                  const FunctionView& function) {
  if (function.instructions().size() != function.function().instructions()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", function.function().instructions(),
                     " instructions, got ", function.instructions().size()));
  }
  BodyValidator body(manifest, function);
  for (const planpb::Instruction& instruction : function.instructions()) {
    RETURN_IF_ERROR(Annotate(ValidateInstruction(manifest, instruction, body),
                             absl::StrCat("instruction ", instruction.id(),
                                          " (", InstructionKind(instruction),
                                          " '", instruction.name(), "')")));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
