// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of collectives.
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"
#include "runtime/plan/validate/validate_bodies.h"

namespace accel::runtime {
namespace {

absl::Status ValidateAxes(const planpb::Collective& collective) {
  if (collective.axes().empty()) {
    return absl::InvalidArgumentError(
        "expected an axis of the mesh, got a collective over none");
  }
  for (const int axis : collective.axes()) {
    if (axis <= planpb::AXIS_UNSPECIFIED || axis > kMeshAxes) {
      return absl::UnimplementedError(absl::StrCat("unknown axis ", axis));
    }
  }
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

}  // namespace

absl::Status ValidateCollective(const planpb::Manifest& manifest,
                                const InstructionAccesses& accesses,
                                const planpb::Collective& collective) {
  if (collective.kind() <= planpb::Collective::KIND_UNSPECIFIED ||
      collective.kind() > planpb::Collective::KIND_BARRIER) {
    return absl::UnimplementedError(
        absl::StrCat("unknown collective ", collective.kind()));
  }
  RETURN_IF_ERROR(CheckElementType(collective.dtype()));
  RETURN_IF_ERROR(ValidateAxes(collective));
  RETURN_IF_ERROR(ValidateSizeExpr(collective.bytes()));
  RETURN_IF_ERROR(ValidateMoved(collective));
  RETURN_IF_ERROR(ValidateOrigin(manifest, collective));
  if (collective.input_plus_one() != 0) {
    RETURN_IF_ERROR(accesses.CheckUse("input", collective.input_plus_one() - 1,
                                      InstructionAccesses::Use::kRead));
  }
  if (collective.output_plus_one() != 0) {
    RETURN_IF_ERROR(accesses.CheckUse("output",
                                      collective.output_plus_one() - 1,
                                      InstructionAccesses::Use::kWrite));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
