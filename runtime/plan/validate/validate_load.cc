// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of loads: what is read of sections and files, and where it goes.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"
#include "runtime/plan/validate/validate_bodies.h"

namespace accel::runtime {
namespace {

// The section or file that a piece of `bytes` lies in.
absl::Status CheckSource(const planpb::Manifest& manifest,
                         const planpb::LoadPiece& piece, uint64_t bytes) {
  if ((piece.section_plus_one() == 0) ==
      (piece.external_file_plus_one() == 0)) {
    return absl::InvalidArgumentError(
        "expected one source, a section or a file");
  }
  if (piece.section_plus_one() != 0) {
    return CheckSectionRange(manifest, piece.section_plus_one() - 1,
                             planpb::SECTION_WEIGHTS, piece.source_offset(),
                             bytes);
  }
  const uint32_t index = piece.external_file_plus_one() - 1;
  RETURN_IF_ERROR(
      CheckIndex("external file", index, manifest.external_files_size()));
  const uint64_t size = manifest.external_files(static_cast<int>(index)).size();
  if (piece.source_offset() > size || bytes > size - piece.source_offset()) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes [", piece.source_offset(), ", +", bytes,
                     ") do not lie in a file of ", size));
  }
  return absl::OkStatus();
}

absl::Status CheckPiece(const planpb::Manifest& manifest,
                        const planpb::Load& load,
                        const planpb::LoadPiece& piece) {
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
  return CheckSource(manifest, piece, *bytes);
}

}  // namespace

absl::Status ValidateLoad(const planpb::Manifest& manifest,
                          const InstructionAccesses& accesses,
                          const planpb::Load& load) {
  RETURN_IF_ERROR(accesses.CheckUse("destination", load.access(),
                                    InstructionAccesses::Use::kWrite));
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
        Annotate(CheckPiece(manifest, load, piece), absl::StrCat("piece ", i)));
    end = std::max(end, piece.element_offset() + piece.elements());
  }
  if (load.has_shard()) {
    return absl::OkStatus();
  }
  return accesses.CheckRoom("destination", load.access(),
                            *ElementBytes(load.dtype(), end));
}

}  // namespace accel::runtime
