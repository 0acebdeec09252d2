// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of accesses, and modes that bodies need.
#include "runtime/plan/validate/instruction_accesses.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

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
  const bool writes = access.mode() != planpb::Access::MODE_READ;
  if (access.infinities() < planpb::Access::INFINITIES_NONE ||
      access.infinities() > planpb::Access::INFINITIES_BOTH) {
    return absl::UnimplementedError(
        absl::StrCat(name, ": unknown infinities ", access.infinities()));
  }
  if (access.infinities() != planpb::Access::INFINITIES_NONE && !writes) {
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     ": expected infinities of what is written, got them "
                     "of what is read"));
  }
  if (buffer.region() == planpb::REGION_CONSTANT && writes) {
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

}  // namespace

absl::Status InstructionAccesses::Validate() const {
  for (const planpb::Access& access : instruction_.accesses()) {
    RETURN_IF_ERROR(ValidateAccess(manifest_, access));
  }
  return absl::OkStatus();
}

absl::Status InstructionAccesses::CheckUse(absl::string_view what,
                                           uint32_t access, Use use) const {
  RETURN_IF_ERROR(Annotate(
      CheckIndex("access", access, instruction_.accesses_size()), what));
  const planpb::Access::Mode mode = (*this)[access].mode();
  if ((use == Use::kRead && mode == planpb::Access::MODE_WRITE) ||
      (use == Use::kWrite && mode == planpb::Access::MODE_READ)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": access ", access, " does not say ",
                     use == Use::kRead ? "read" : "written"));
  }
  return absl::OkStatus();
}

std::optional<uint64_t> InstructionAccesses::BytesOf(uint32_t number) const {
  const planpb::Access& access = (*this)[number];
  if (access.bytes() != 0) {
    return access.bytes();
  }
  if (access.has_shard()) {
    return std::nullopt;
  }
  return ConstantSize(
      manifest_.buffers(static_cast<int>(access.buffer())).bytes());
}

absl::Status InstructionAccesses::CheckRoom(absl::string_view what,
                                            uint32_t access,
                                            uint64_t bytes) const {
  const auto room = BytesOf(access);
  if (room && *room < bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": expected an access of ", bytes, " bytes, got ", *room));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
