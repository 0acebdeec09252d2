// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of one collective on one rank, before anything runs.
#include "runtime/executor/check_collective.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/collective_sizes.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/instruction_names.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

absl::Status CheckKind(const Collective& collective) {
  switch (collective.kind()) {
    case Collective::KIND_ALL_GATHER:
      if (collective.reduction() > Collective::REDUCTION_NONE) {
        return absl::InvalidArgumentError(
            "expected an all_gather, which reduces nothing, got a reduction");
      }
      break;
    case Collective::KIND_REDUCE_SCATTER:
      if (collective.reduction() != Collective::REDUCTION_SUM) {
        return absl::UnimplementedError(
            "expected a sum, which is all that this executor knows of "
            "reduce_scatter");
      }
      break;
    case Collective::KIND_ALL_REDUCE:
      if (collective.reduction() != Collective::REDUCTION_SUM &&
          collective.reduction() != Collective::REDUCTION_MAX) {
        return absl::UnimplementedError(
            "expected a sum or a maximum, which is all that this executor "
            "knows of all_reduce");
      }
      break;
    default:
      return absl::UnimplementedError(absl::StrCat(
          "expected all_gather, reduce_scatter or all_reduce, which is all "
          "that this executor knows of collectives, got ",
          CollectiveKindName(collective.kind())));
  }
  if (!ToDType(collective.dtype())) {
    return absl::UnimplementedError(
        absl::StrCat("a collective of ", ElementTypeName(collective.dtype())));
  }
  const auto type = collective.dtype();
  const bool sums = type == planpb::ELEMENT_F32 ||
                    type == planpb::ELEMENT_F64 || type == planpb::ELEMENT_I64;
  if (collective.kind() != Collective::KIND_ALL_GATHER && !sums) {
    return absl::UnimplementedError(
        absl::StrCat("expected a sum of f32, f64 or i64, got one of ",
                     ElementTypeName(type)));
  }
  return absl::OkStatus();
}

// The communicator joins all ranks of the run.
absl::Status CheckSpansAllRanks(
    const google::protobuf::RepeatedField<int>& axes,
    const RankBinding& binding) {
  ASSIGN_OR_RETURN(const uint64_t ranks, RanksAlong(axes, binding));
  if (ranks == binding.rank_count()) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("expected a collective over all ", binding.rank_count(),
                   " ranks, got ", ranks));
}

absl::Status CheckWhole(absl::string_view what, uint64_t bytes, uint64_t got) {
  if (got == bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, ": expected an access of ", bytes, " bytes, got ", got));
}

absl::Status CheckPart(absl::string_view what, const Collective& collective,
                       const PartBytes& part, const planpb::Access& access,
                       uint64_t got) {
  const planpb::Shard& cut = collective.shard();
  if (access.has_shard() && (access.shard().elements() != cut.elements() ||
                             access.shard().granule() != cut.granule())) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": expected a part of ", cut.elements(), " elements, granule ",
        cut.granule(), ", got one of ", access.shard().elements(), ", granule ",
        access.shard().granule()));
  }
  const bool whole_buffer = !access.has_shard() && access.bytes() == 0;
  if (got == part.size() || (whole_buffer && got == part.room)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected an access of this rank's ", part.size(),
                   " bytes, or a buffer of ", part.room, ", got ", got));
}

// Apart, or the part where it lies in the whole.
absl::Status CheckOverlap(const CollectiveSizes& sizes, ByteRange input,
                          ByteRange output) {
  input.end = input.begin + sizes.input();
  output.end = output.begin + sizes.output();
  const bool apart =
      input.space != output.space ||
      std::max(input.begin, output.begin) >= std::min(input.end, output.end);
  const uint64_t part_at = sizes.part.begin;
  const bool in_place = input.begin + (sizes.scatters ? part_at : 0) ==
                        output.begin + (sizes.gathers ? part_at : 0);
  if (apart || in_place) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "expected input and output apart or in place, got two that overlap");
}

}  // namespace

absl::Status CheckCollective(const MemoryLayout& layout,
                             const planpb::Instruction& instruction,
                             const Collective& collective) {
  RETURN_IF_ERROR(CheckKind(collective));
  if (collective.input_plus_one() == 0 || collective.output_plus_one() == 0) {
    return absl::InvalidArgumentError(
        "expected a collective with input and output");
  }
  const planpb::Access& input =
      instruction.accesses(static_cast<int>(collective.input_plus_one() - 1));
  const planpb::Access& output =
      instruction.accesses(static_cast<int>(collective.output_plus_one() - 1));
  RETURN_IF_ERROR(CheckSpansAllRanks(collective.axes(), layout.binding()));
  ASSIGN_OR_RETURN(const CollectiveSizes sizes,
                   CollectiveSizes::Of(collective, layout.binding()));
  if (sizes.gathers || sizes.scatters) {
    RETURN_IF_ERROR(
        CheckSpansAllRanks(collective.shard().axes(), layout.binding()));
  }
  const ByteRange from = layout.RangeOf(input, 0);
  const ByteRange to = layout.RangeOf(output, 0);
  RETURN_IF_ERROR(
      sizes.gathers
          ? CheckPart("input", collective, sizes.part, input, from.size())
          : CheckWhole("input", sizes.whole, from.size()));
  RETURN_IF_ERROR(
      sizes.scatters
          ? CheckPart("output", collective, sizes.part, output, to.size())
          : CheckWhole("output", sizes.whole, to.size()));
  return CheckOverlap(sizes, from, to);
}

}  // namespace accel::runtime
