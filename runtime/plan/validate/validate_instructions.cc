// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of instructions: what they touch, and that each body uses it in the
// way that its accesses claim.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/visitor.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

bool Reads(const planpb::Access& access) {
  return access.mode() != planpb::Access::MODE_WRITE;
}

bool Writes(const planpb::Access& access) {
  return access.mode() != planpb::Access::MODE_READ;
}

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
  // The access exists and is read or written as the body does.
  absl::Status CheckAccess(const planpb::Instruction& instruction,
                           absl::string_view what, uint32_t access, bool reads,
                           bool writes) const;
  // At least `bytes`, unless the size is known only at load.
  absl::Status CheckRoom(const planpb::Instruction& instruction,
                         absl::string_view what, uint32_t access,
                         uint64_t bytes) const;
  std::optional<uint64_t> BytesOf(const planpb::Access& access) const;
  absl::Status CheckPiece(const planpb::Load& load,
                          const planpb::LoadPiece& piece) const;

  const planpb::Manifest& manifest_;
  const FunctionView& function_;
};

absl::Status BodyValidator::CheckAccess(const planpb::Instruction& instruction,
                                        absl::string_view what, uint32_t access,
                                        bool reads, bool writes) const {
  RETURN_IF_ERROR(Annotate(
      CheckIndex("access", access, instruction.accesses_size()), what));
  const planpb::Access& found = instruction.accesses(static_cast<int>(access));
  if ((reads && !Reads(found)) || (writes && !Writes(found))) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": access ", access, " does not say ",
                     reads && writes ? "read and written"
                     : reads         ? "read"
                                     : "written"));
  }
  return absl::OkStatus();
}

std::optional<uint64_t> BodyValidator::BytesOf(
    const planpb::Access& access) const {
  if (access.bytes() != 0) {
    return access.bytes();
  }
  if (access.has_shard()) {
    return std::nullopt;
  }
  return ConstantSize(
      manifest_.buffers(static_cast<int>(access.buffer())).bytes());
}

absl::Status BodyValidator::CheckRoom(const planpb::Instruction& instruction,
                                      absl::string_view what, uint32_t access,
                                      uint64_t bytes) const {
  const auto room = BytesOf(instruction.accesses(static_cast<int>(access)));
  if (room && *room < bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": expected an access of ", bytes, " bytes, got ", *room));
  }
  return absl::OkStatus();
}

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
  for (const uint32_t argument : launch.arguments()) {
    RETURN_IF_ERROR(
        CheckAccess(instruction, "argument", argument, false, false));
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
  for (const planpb::FetchField& field : fetch.fields()) {
    RETURN_IF_ERROR(
        CheckIndex("field", field.field(), manifest_.signature_size()));
    const planpb::SignatureField& wanted =
        manifest_.signature(static_cast<int>(field.field()));
    RETURN_IF_ERROR(
        CheckAccess(instruction, wanted.name(), field.access(), false, true));
    const uint64_t bytes =
        *ElementBytes(wanted.dtype(), *ElementCount(wanted.shape()));
    const auto room =
        BytesOf(instruction.accesses(static_cast<int>(field.access())));
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
  RETURN_IF_ERROR(
      CheckAccess(instruction, "metric", metric.access(), true, false));
  const planpb::Access& access =
      instruction.accesses(static_cast<int>(metric.access()));
  if (access.has_shard()) {
    return absl::InvalidArgumentError(
        "metric: a rank's part of a buffer, which may be empty");
  }
  return CheckRoom(instruction, "metric", metric.access(), sizeof(double));
}

absl::Status BodyValidator::CheckPiece(const planpb::Load& load,
                                       const planpb::LoadPiece& piece) const {
  const auto bytes = ElementBytes(load.dtype(), piece.elements());
  const auto end = CheckedAdd(piece.element_offset(), piece.elements());
  if (!bytes || !end || !ElementBytes(load.dtype(), *end)) {
    return absl::InvalidArgumentError("it exceeds 64 bits");
  }
  if (load.has_shard() && *end > load.shard().elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it ends at element ", *end, " of ", load.shard().elements()));
  }
  const bool transposed = piece.rows() != 0 || piece.columns() != 0;
  if (transposed &&
      CheckedMultiply(piece.rows(), piece.columns()) != piece.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the transpose of ", piece.rows(), " x ", piece.columns(),
                     " has not ", piece.elements(), " elements"));
  }
  if ((piece.section_plus_one() == 0) ==
      (piece.external_file_plus_one() == 0)) {
    return absl::InvalidArgumentError(
        "expected one source, a section or a file");
  }
  if (piece.section_plus_one() != 0) {
    return CheckSectionRange(manifest_, piece.section_plus_one() - 1,
                             planpb::SECTION_WEIGHTS, piece.source_offset(),
                             *bytes);
  }
  const uint32_t index = piece.external_file_plus_one() - 1;
  RETURN_IF_ERROR(
      CheckIndex("external file", index, manifest_.external_files_size()));
  const uint64_t size =
      manifest_.external_files(static_cast<int>(index)).size();
  if (piece.source_offset() > size || *bytes > size - piece.source_offset()) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes [", piece.source_offset(), ", +", *bytes,
                     ") do not lie in a file of ", size));
  }
  return absl::OkStatus();
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Load& load) {
  RETURN_IF_ERROR(
      CheckAccess(instruction, "destination", load.access(), false, true));
  RETURN_IF_ERROR(CheckElementType(load.dtype()));
  if (ElementBits(load.dtype()) % 8 != 0) {
    return absl::InvalidArgumentError("a load of elements below one byte");
  }
  if (load.has_shard()) {
    RETURN_IF_ERROR(ValidateShard(load.shard()));
  }
  uint64_t end = 0;
  for (int i = 0; i < load.pieces_size(); ++i) {
    const planpb::LoadPiece& piece = load.pieces(i);
    RETURN_IF_ERROR(
        Annotate(CheckPiece(load, piece), absl::StrCat("piece ", i)));
    end = std::max(end, piece.element_offset() + piece.elements());
  }
  if (load.has_shard()) {
    return absl::OkStatus();
  }
  return CheckRoom(instruction, "destination", load.access(),
                   *ElementBytes(load.dtype(), end));
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Fill& fill) {
  return CheckAccess(instruction, "destination", fill.access(), false, true);
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Copy& copy) {
  RETURN_IF_ERROR(
      CheckAccess(instruction, "source", copy.source(), true, false));
  RETURN_IF_ERROR(
      CheckAccess(instruction, "destination", copy.destination(), false, true));
  return absl::OkStatus();
}

// The bucket and segment that a collective works for, where it says so.
absl::Status ValidateOrigin(const planpb::Manifest& manifest,
                            const planpb::Collective& collective) {
  if (collective.bucket_plus_one() == 0) {
    return collective.segment_plus_one() == 0
               ? absl::OkStatus()
               : absl::InvalidArgumentError(
                     "expected a segment of a bucket, got one of none");
  }
  const uint32_t bucket = collective.bucket_plus_one() - 1;
  RETURN_IF_ERROR(CheckIndex("bucket", bucket, manifest.buckets_size()));
  return collective.segment_plus_one() == 0
             ? absl::OkStatus()
             : CheckIndex(
                   "segment", collective.segment_plus_one() - 1,
                   manifest.buckets(static_cast<int>(bucket)).segments_size());
}

// What a collective moves; a barrier moves nothing.
absl::Status ValidateMoved(const planpb::Collective& collective) {
  if (!collective.has_shard()) {
    return collective.kind() == planpb::Collective::KIND_BARRIER
               ? absl::OkStatus()
               : absl::InvalidArgumentError(
                     "expected a shard, which says what the collective moves, "
                     "got none");
  }
  RETURN_IF_ERROR(ValidateShard(collective.shard()));
  if (!CheckedMultiply(collective.shard().elements(),
                       ElementBits(collective.dtype()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("a collective of ", collective.shard().elements(),
                     " elements exceeds 64 bits"));
  }
  return absl::OkStatus();
}

absl::Status BodyValidator::Visit(const planpb::Instruction& instruction,
                                  const planpb::Collective& collective) {
  if (collective.kind() <= planpb::Collective::KIND_UNSPECIFIED ||
      collective.kind() > planpb::Collective::KIND_BARRIER) {
    return absl::UnimplementedError(
        absl::StrCat("unknown collective ", collective.kind()));
  }
  RETURN_IF_ERROR(CheckElementType(collective.dtype()));
  if (collective.axes().empty()) {
    return absl::InvalidArgumentError(
        "expected an axis of the mesh, got a collective over none");
  }
  for (const int axis : collective.axes()) {
    if (axis <= planpb::AXIS_UNSPECIFIED || axis > kMeshAxes) {
      return absl::UnimplementedError(absl::StrCat("unknown axis ", axis));
    }
  }
  RETURN_IF_ERROR(ValidateSizeExpr(collective.bytes()));
  RETURN_IF_ERROR(ValidateMoved(collective));
  RETURN_IF_ERROR(ValidateOrigin(manifest_, collective));
  if (collective.input_plus_one() != 0) {
    RETURN_IF_ERROR(CheckAccess(instruction, "input",
                                collective.input_plus_one() - 1, true, false));
  }
  if (collective.output_plus_one() != 0) {
    RETURN_IF_ERROR(CheckAccess(instruction, "output",
                                collective.output_plus_one() - 1, false, true));
  }
  return absl::OkStatus();
}

// Of an access to a rank's part of the buffer.
absl::Status ValidateAccessShard(const planpb::Buffer& buffer,
                                 const planpb::Access& access) {
  RETURN_IF_ERROR(ValidateShard(access.shard()));
  if (access.bytes() != 0 || access.thread_stride() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a rank's part has no other size, expected bytes and "
                     "thread stride 0, got ",
                     access.bytes(), " and ", access.thread_stride()));
  }
  const uint64_t bits = ElementBits(buffer.dtype());
  if (bits % 8 != 0) {
    return absl::UnimplementedError(
        absl::StrCat("a rank's part of ", ElementTypeName(buffer.dtype()),
                     ", whose elements are smaller than a byte"));
  }
  const auto whole = CheckedMultiply(access.shard().elements(), bits);
  const auto end = whole ? CheckedAdd(access.offset(), *whole / 8) : whole;
  const auto size = ConstantSize(buffer.bytes());
  if (!end || (size && *end > *size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        access.shard().elements(), " elements from byte ", access.offset(),
        " on do not lie in its ", size.value_or(0)));
  }
  return absl::OkStatus();
}

absl::Status ValidateAccess(const planpb::Manifest& manifest,
                            const planpb::Access& access) {
  RETURN_IF_ERROR(
      CheckIndex("buffer", access.buffer(), manifest.buffers_size()));
  const planpb::Buffer& buffer =
      manifest.buffers(static_cast<int>(access.buffer()));
  const std::string name = absl::StrCat("buffer '", buffer.name(), "'");
  if (access.mode() <= planpb::Access::MODE_UNSPECIFIED ||
      access.mode() > planpb::Access::MODE_READ_WRITE) {
    return absl::UnimplementedError(
        absl::StrCat(name, ": unknown mode ", access.mode()));
  }
  if (buffer.region() == planpb::REGION_CONSTANT && Writes(access)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is constant and is written"));
  }
  if (access.rotate() >= std::max<uint32_t>(buffer.copies(), 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": rotates by ", access.rotate(), " of ",
                     std::max<uint32_t>(buffer.copies(), 1), " copies"));
  }
  if (access.has_shard()) {
    return Annotate(ValidateAccessShard(buffer, access), name);
  }
  if (access.bytes() == 0 &&
      (access.offset() != 0 || access.thread_stride() != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": an offset without a size"));
  }
  if (access.thread_stride() != 0 && access.thread_stride() < access.bytes()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": the parts of threads overlap"));
  }
  const auto end = CheckedAdd(access.offset(), access.bytes());
  const auto size = ConstantSize(buffer.bytes());
  if (!end || (size && *end > *size)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": bytes [", access.offset(), ", +", access.bytes(),
                     ") do not lie in its ", size.value_or(0)));
  }
  return absl::OkStatus();
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
  for (const planpb::Access& access : instruction.accesses()) {
    RETURN_IF_ERROR(ValidateAccess(manifest, access));
  }
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
