// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of streams, arenas and buffers, and the helpers of all checks.
#include <array>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kMaxAlignment = uint64_t{2} << 20;
constexpr uint32_t kMaxCopies = 16;

absl::Status ValidateStreams(const planpb::Manifest& manifest) {
  if (manifest.streams().empty()) {
    return absl::InvalidArgumentError("there is no stream");
  }
  std::set<int> kinds;
  for (const planpb::Stream& stream : manifest.streams()) {
    if (stream.kind() == planpb::STREAM_UNSPECIFIED ||
        !planpb::StreamKind_IsValid(stream.kind())) {
      return absl::UnimplementedError(absl::StrCat(
          "stream '", stream.name(), "' is of unknown kind ", stream.kind()));
    }
    if (!kinds.insert(stream.kind()).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "stream '", stream.name(), "' is the second one of its kind"));
    }
  }
  return absl::OkStatus();
}

bool IsPowerOfTwo(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

bool IsSpace(int space) {
  return space > planpb::SPACE_UNSPECIFIED && space <= planpb::SPACE_SHARED;
}

absl::Status ValidateArenas(
    const google::protobuf::RepeatedPtrField<planpb::Arena>& arenas) {
  std::set<int> spaces;
  for (const planpb::Arena& arena : arenas) {
    if (!IsSpace(arena.space())) {
      return absl::UnimplementedError(
          absl::StrCat("an arena lies in unknown space ", arena.space()));
    }
    if (!spaces.insert(arena.space()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two arenas lie in space ", arena.space()));
    }
    if (!IsPowerOfTwo(arena.alignment()) || arena.alignment() > kMaxAlignment) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected an arena's alignment to be a power of two up to ",
          kMaxAlignment, ", got ", arena.alignment()));
    }
  }
  return absl::OkStatus();
}

const planpb::Arena* FindArena(const planpb::Manifest& manifest, int space) {
  for (const planpb::Arena& arena : manifest.arenas()) {
    if (arena.space() == space) {
      return &arena;
    }
  }
  return nullptr;
}

absl::Status ValidateTransient(const planpb::Manifest& manifest,
                               const planpb::Buffer& buffer) {
  const auto bytes = ConstantSize(buffer.bytes());
  if (!bytes) {
    return absl::InvalidArgumentError(
        "expected a constant size of a transient buffer");
  }
  const planpb::Arena* arena = FindArena(manifest, buffer.space());
  if (arena == nullptr) {
    return absl::InvalidArgumentError("its space has no arena");
  }
  if (buffer.copies() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected one copy of a transient buffer, got ", buffer.copies()));
  }
  if (buffer.offset() % buffer.alignment() != 0 ||
      buffer.alignment() > arena->alignment()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "offset ", buffer.offset(), " is not aligned to ", buffer.alignment()));
  }
  const auto end = CheckedAdd(buffer.offset(), *bytes);
  if (!end || *end > arena->bytes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it ends beyond its arena of ", arena->bytes(),
                     " bytes: offset ", buffer.offset(), ", size ", *bytes));
  }
  return absl::OkStatus();
}

absl::Status ValidateConstant(const planpb::Manifest& manifest,
                              const planpb::Buffer& buffer) {
  if (!buffer.has_content()) {
    return absl::InvalidArgumentError("a constant without content");
  }
  const planpb::SectionRange& content = buffer.content();
  RETURN_IF_ERROR(CheckSectionRange(manifest, content.section(),
                                    planpb::SECTION_CONSTANTS, content.offset(),
                                    content.size()));
  if (ConstantSize(buffer.bytes()) != content.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its content of ", content.size(), " bytes does not fill it"));
  }
  return absl::OkStatus();
}

absl::Status ValidateBuffer(const planpb::Manifest& manifest,
                            const planpb::Buffer& buffer) {
  if (!IsSpace(buffer.space())) {
    return absl::UnimplementedError(
        absl::StrCat("it lies in unknown space ", buffer.space()));
  }
  RETURN_IF_ERROR(CheckElementType(buffer.dtype()));
  RETURN_IF_ERROR(ValidateSizeExpr(buffer.bytes()));
  if (!IsPowerOfTwo(buffer.alignment()) || buffer.alignment() > kMaxAlignment) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an alignment that is a power of two up to ",
                     kMaxAlignment, ", got ", buffer.alignment()));
  }
  if (buffer.copies() > kMaxCopies) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected at most ", kMaxCopies, " copies, got ", buffer.copies()));
  }
  if (buffer.memory_class() <= planpb::CLASS_UNSPECIFIED ||
      buffer.memory_class() > planpb::CLASS_SCALARS) {
    return absl::UnimplementedError(
        absl::StrCat("it is of unknown class ", buffer.memory_class()));
  }
  const auto bytes = ConstantSize(buffer.bytes());
  if (buffer.shape_size() > 0 && bytes) {
    const auto elements = ElementCount(buffer.shape());
    const auto needed =
        elements ? ElementBytes(buffer.dtype(), *elements) : elements;
    if (!needed || *needed > *bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("its shape does not fit into ", *bytes, " bytes"));
    }
  }
  const bool transient = buffer.region() == planpb::REGION_TRANSIENT;
  if (!transient && buffer.offset() != 0) {
    return absl::InvalidArgumentError("only transient buffers have an offset");
  }
  if (buffer.has_content() != (buffer.region() == planpb::REGION_CONSTANT)) {
    return absl::InvalidArgumentError("constants, and they only, have content");
  }
  switch (buffer.region()) {
    case planpb::REGION_TRANSIENT:
      return ValidateTransient(manifest, buffer);
    case planpb::REGION_CONSTANT:
      return ValidateConstant(manifest, buffer);
    case planpb::REGION_PERSISTENT:
    case planpb::REGION_IO:
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(
          absl::StrCat("it lies in unknown region ", buffer.region()));
  }
}

}  // namespace

absl::Status CheckIndex(absl::string_view what, uint64_t value, uint64_t size) {
  if (value < size) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("refers to ", what, " ", value, " of ", size));
}

absl::Status CheckSectionRange(const planpb::Manifest& manifest,
                               uint64_t section, planpb::SectionKind kind,
                               uint64_t offset, uint64_t size) {
  RETURN_IF_ERROR(CheckIndex("section", section, manifest.sections_size()));
  const planpb::Section& found = manifest.sections(static_cast<int>(section));
  if (found.kind() != kind) {
    return absl::InvalidArgumentError(absl::StrCat("section '", found.name(),
                                                   "': expected kind ", kind,
                                                   ", got ", found.kind()));
  }
  if (offset > found.size() || size > found.size() - offset) {
    return absl::InvalidArgumentError(absl::StrCat(
        "bytes [", offset, ", +", size, ") do not lie in section '",
        found.name(), "' of ", found.size(), " bytes"));
  }
  return absl::OkStatus();
}

absl::Status CheckElementType(planpb::ElementType type) {
  if (ElementBits(type) != 0) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("unknown element type ", static_cast<int>(type)));
}

std::optional<uint64_t> ElementCount(
    const google::protobuf::RepeatedField<uint64_t>& shape) {
  std::optional<uint64_t> product = 1;
  for (const uint64_t dimension : shape) {
    product = CheckedMultiply(*product, dimension);
    if (!product) {
      break;
    }
  }
  return product;
}

std::optional<uint64_t> ElementBytes(planpb::ElementType type,
                                     uint64_t elements) {
  const auto bits = CheckedMultiply(elements, ElementBits(type));
  if (!bits) {
    return std::nullopt;
  }
  return *bits / 8 + (*bits % 8 != 0 ? 1 : 0);
}

namespace {

absl::Status ValidateSummary(const planpb::MemorySummary& memory) {
  for (const auto* uses : {&memory.persistent(), &memory.transient_at_peak()}) {
    for (const planpb::MemoryUse& use : *uses) {
      RETURN_IF_ERROR(ValidateSizeExpr(use.bytes()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateMemory(const planpb::Manifest& manifest) {
  RETURN_IF_ERROR(ValidateMesh(manifest.mesh()));
  RETURN_IF_ERROR(ValidateStreams(manifest));
  RETURN_IF_ERROR(ValidateArenas(manifest.arenas()));
  std::set<absl::string_view> names;
  for (int i = 0; i < manifest.buffers_size(); ++i) {
    const planpb::Buffer& buffer = manifest.buffers(i);
    const std::string context =
        absl::StrCat("buffer ", i, " ('", buffer.name(), "')");
    RETURN_IF_ERROR(Annotate(ValidateBuffer(manifest, buffer), context));
    if (!names.insert(buffer.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
  }
  for (const planpb::Function& function : manifest.functions()) {
    const std::string context =
        absl::StrCat("function '", function.name(), "'");
    RETURN_IF_ERROR(Annotate(ValidateArenas(function.arenas()), context));
    for (const planpb::Arena& arena : function.arenas()) {
      const planpb::Arena* whole = FindArena(manifest, arena.space());
      if (whole == nullptr || arena.bytes() > whole->bytes()) {
        return absl::InvalidArgumentError(
            absl::StrCat(context, ": its arena exceeds that of the plan"));
      }
    }
  }
  return Annotate(ValidateSummary(manifest.memory()), "the memory summary");
}

}  // namespace accel::runtime
