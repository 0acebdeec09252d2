// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of one call, and its description for the other ranks and for people.
#include "runtime/comm/collective_call.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

absl::string_view ReductionName(uint32_t reduction) {
  static constexpr std::array<absl::string_view, 5> kNames = {
      "unspecified", "none", "sum", "max", "min"};
  return reduction < kNames.size() ? kNames[reduction] : "unknown";
}

bool CanReduce(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kI64;
}

absl::Status ValidateReduction(const CollectiveCall& call) {
  const bool named = call.reduction == Collective::REDUCTION_SUM ||
                     call.reduction == Collective::REDUCTION_MAX ||
                     call.reduction == Collective::REDUCTION_MIN;
  if (!call.reduces()) {
    return call.reduction <= Collective::REDUCTION_NONE
               ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     CollectiveKindName(call.kind), " reduces nothing, got '",
                     ReductionName(call.reduction), "'"));
  }
  if (!named) {
    return absl::InvalidArgumentError(
        absl::StrCat(CollectiveKindName(call.kind),
                     " expects the reduction sum, max or min, got '",
                     ReductionName(call.reduction), "'"));
  }
  if (!CanReduce(call.dtype)) {
    return absl::UnimplementedError(
        absl::StrCat("no reduction over ranks of ", DTypeName(call.dtype),
                     "; there are those of f32, f64 and i64"));
  }
  return absl::OkStatus();
}

absl::Status ExpectBytes(absl::string_view what, uint64_t got,
                         uint64_t expected) {
  if (got == expected) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the ", what, " has ", got, " bytes, expected ", expected));
}

// What each side of a call holds, in bytes, and where the smaller one lies in
// the larger one if the call is in place.
struct Sides {
  uint64_t input = 0;
  uint64_t output = 0;
  uint64_t input_at = 0;   // of the output's beginning
  uint64_t output_at = 0;  // of the input's beginning
};

Sides SidesOf(const CollectiveCall& call, uint32_t rank, OwnedRange owned) {
  const uint64_t whole = call.elements * call.width();
  const uint64_t part = owned.size() * call.width();
  const uint64_t at = owned.begin * call.width();
  switch (call.kind) {
    case Collective::KIND_ALL_GATHER:
      return {part, whole, at, 0};
    case Collective::KIND_REDUCE_SCATTER:
      return {whole, part, 0, at};
    case Collective::KIND_BROADCAST:
      return {rank == call.root ? whole : 0, whole, 0, 0};
    case Collective::KIND_ALL_REDUCE:
      return {whole, whole, 0, 0};
    default:
      return {};
  }
}

absl::Status ValidateOverlap(const CollectiveCall& call, const Sides& sides) {
  const auto in = reinterpret_cast<uintptr_t>(call.input.data());
  const auto out = reinterpret_cast<uintptr_t>(call.output.data());
  const bool apart = call.input.empty() || call.output.empty() ||
                     in + call.input.size() <= out ||
                     out + call.output.size() <= in;
  if (apart || in + sides.output_at == out + sides.input_at) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "input and output overlap without being in place");
}

}  // namespace

ShardCut::ShardCut(uint32_t ranks) {
  shard_.add_axes(planpb::AXIS_FSDP);
  shard_.set_granule(1);
  binding_.degrees[planpb::AXIS_FSDP - 1] = ranks;
}

absl::Status ShardCut::Set(uint64_t elements, uint64_t granule) {
  shard_.set_elements(elements);
  shard_.set_granule(granule);
  RETURN_IF_ERROR(ValidateShard(shard_));
  // The largest number of all comes with the last rank.
  binding_.coordinates[planpb::AXIS_FSDP - 1] =
      binding_.degrees[planpb::AXIS_FSDP - 1] - 1;
  return OwnedElements(shard_, binding_).status();
}

OwnedRange ShardCut::Of(uint32_t rank) {
  binding_.coordinates[planpb::AXIS_FSDP - 1] = rank;
  return *OwnedElements(shard_, binding_);
}

absl::Status ValidateCall(const CollectiveCall& call, uint32_t rank,
                          uint32_t ranks, ShardCut& cut) {
  switch (call.kind) {
    case Collective::KIND_ALL_GATHER:
    case Collective::KIND_REDUCE_SCATTER:
    case Collective::KIND_ALL_REDUCE:
    case Collective::KIND_BROADCAST:
    case Collective::KIND_BARRIER:
      break;
    default:
      return absl::UnimplementedError(
          absl::StrCat("no collective '", CollectiveKindName(call.kind),
                       "'; there are all_gather, reduce_scatter, all_reduce, "
                       "broadcast and barrier"));
  }
  RETURN_IF_ERROR(ValidateReduction(call));
  if (call.root >= ranks) {
    return absl::InvalidArgumentError(
        absl::StrCat("root ", call.root, " is none of the ", ranks, " ranks"));
  }
  RETURN_IF_ERROR(cut.Set(call.elements, call.granule));
  if (!CheckedMultiply(call.elements, call.width())) {
    return absl::InvalidArgumentError("the tensor's size exceeds 64 bits");
  }
  const Sides sides = SidesOf(call, rank, cut.Of(rank));
  // What others than the root pass as input of a broadcast is not looked at.
  if (call.kind != Collective::KIND_BROADCAST || rank == call.root) {
    RETURN_IF_ERROR(ExpectBytes("input", call.input.size(), sides.input));
  }
  RETURN_IF_ERROR(ExpectBytes("output", call.output.size(), sides.output));
  return ValidateOverlap(call, sides);
}

bool CallDescription::operator==(const CallDescription& other) const {
  return std::memcmp(this, &other, sizeof *this) == 0;
}

CallDescription Describe(const CollectiveCall& call) {
  CallDescription description;
  description.kind = static_cast<uint32_t>(call.kind);
  description.reduction = static_cast<uint32_t>(call.reduction);
  description.dtype = static_cast<uint32_t>(call.dtype);
  description.root = call.root;
  description.sequence = call.sequence;
  description.elements = call.elements;
  description.granule = call.granule;
  const size_t length = std::min(call.name.size(), sizeof description.name - 1);
  std::copy_n(call.name.begin(), length, description.name);
  return description;
}

CallDescription DescribeAllocation(absl::string_view name, uint64_t bytes) {
  CollectiveCall call;
  call.kind = Collective::KIND_UNSPECIFIED;
  call.name = name;
  call.elements = bytes;
  return Describe(call);
}

std::string DescriptionText(const CallDescription& description) {
  const absl::string_view name(
      description.name, strnlen(description.name, sizeof description.name));
  std::string text = name.empty() ? "" : absl::StrCat(Printable(name), " (");
  if (description.kind == 0) {
    absl::StrAppend(&text, "allocation of ", description.elements,
                    " shared bytes");
  } else {
    const auto kind = static_cast<CollectiveCall::Kind>(description.kind);
    absl::StrAppend(&text, CollectiveKindName(kind));
    if (description.reduction > Collective::REDUCTION_NONE) {
      absl::StrAppend(&text, ", ", ReductionName(description.reduction));
    }
    if (kind != Collective::KIND_BARRIER) {
      absl::StrAppend(&text, ", ",
                      DTypeName(static_cast<DType>(description.dtype)), ", ",
                      description.elements, " elements");
    }
    if (description.granule > 1) {
      absl::StrAppend(&text, ", granule ", description.granule);
    }
    if (kind == Collective::KIND_BROADCAST) {
      absl::StrAppend(&text, ", root ", description.root);
    }
    if (description.placement_plus_one != 0) {
      absl::StrAppend(&text, ", at byte ", description.placement_plus_one - 1,
                      " of shared memory");
    }
    absl::StrAppend(&text, ", sequence ", description.sequence);
  }
  return name.empty() ? text : absl::StrCat(text, ")");
}

}  // namespace accel::runtime
