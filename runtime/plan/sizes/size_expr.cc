// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of size expressions in checked 64-bit arithmetic.
#include "runtime/plan/sizes/size_expr.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

absl::Status Overflow() {
  return absl::InvalidArgumentError("a size expression exceeds 64 bits");
}

using Axes = google::protobuf::RepeatedField<int>;

absl::Status ValidateAxes(const Axes& axes) {
  for (size_t i = 0; i < static_cast<size_t>(axes.size()); ++i) {
    const int axis = axes.Get(i);
    if (axis <= planpb::AXIS_UNSPECIFIED || axis > planpb::AXIS_EXPERT) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown mesh axis ", axis));
    }
    if (std::find(axes.begin(), axes.begin() + i, axis) != axes.begin() + i) {
      return absl::InvalidArgumentError(absl::StrCat(
          "mesh axis '", MeshAxisName(static_cast<planpb::MeshAxis>(axis)),
          "' is named twice"));
    }
  }
  return absl::OkStatus();
}

uint64_t IndexAlong(const Axes& axes, const RankBinding& binding) {
  uint64_t index = 0;
  for (const int value : axes) {
    const auto axis = static_cast<planpb::MeshAxis>(value);
    index = index * binding.degree(axis) + binding.coordinate(axis);
  }
  return index;
}

absl::StatusOr<uint64_t> EvaluateTerm(const planpb::SizeTerm& term,
                                      const RankBinding& binding) {
  ASSIGN_OR_RETURN(const uint64_t degrees,
                   RanksAlong(term.per_degree(), binding));
  std::optional<uint64_t> value = CheckedMultiply(term.factor(), degrees);
  if (value && term.per_thread()) {
    value = CheckedMultiply(*value, binding.threads);
  }
  if (value && term.has_shard()) {
    ASSIGN_OR_RETURN(const uint64_t length, ShardLength(term.shard(), binding));
    value = CheckedMultiply(*value, length);
    if (value) {
      value = DivideUp(*value, 8);
    }
  }
  if (!value) {
    return Overflow();
  }
  return *value;
}

}  // namespace

absl::string_view MeshAxisName(planpb::MeshAxis axis) {
  static constexpr std::array<absl::string_view, kMeshAxes> kNames = {
      "replica", "fsdp", "tensor", "pipeline", "context", "expert"};
  if (axis < 1 || axis > kMeshAxes) {
    return "unknown";
  }
  return kNames[axis - 1];
}

absl::StatusOr<uint64_t> RanksAlong(const Axes& axes,
                                    const RankBinding& binding) {
  uint64_t product = 1;
  for (const int axis : axes) {
    const auto next = CheckedMultiply(
        product, binding.degree(static_cast<planpb::MeshAxis>(axis)));
    if (!next) {
      return Overflow();
    }
    product = *next;
  }
  return product;
}

planpb::MeshAxis AxisOfRun(const planpb::Manifest& manifest) {
  const auto& axes = manifest.mesh().axes();
  return std::find_if(
             axes.begin(), axes.end(),
             [](const planpb::AxisDegree& axis) { return axis.degree() == 0; })
      ->axis();
}

bool IsDataAxis(planpb::MeshAxis axis) {
  return axis == planpb::AXIS_REPLICA || axis == planpb::AXIS_FSDP;
}

RankBinding RankBinding::OfRun(const planpb::Manifest& manifest, uint64_t rank,
                               uint64_t ranks, uint64_t threads) {
  const planpb::MeshAxis axis = AxisOfRun(manifest);
  RankBinding binding;
  binding.degrees[axis - 1] = ranks;
  binding.coordinates[axis - 1] = rank;
  binding.threads = threads;
  return binding;
}

RankBinding RankBinding::OfRank(uint64_t rank) const {
  RankBinding other = *this;
  for (int axis = kMeshAxes - 1; axis >= 0; --axis) {
    other.coordinates[axis] = rank % degrees[axis];
    rank /= degrees[axis];
  }
  return other;
}

uint64_t RankBinding::rank_count() const {
  uint64_t count = 1;
  for (const uint64_t degree : degrees) {
    count *= degree;
  }
  return count;
}

uint64_t RankBinding::rank() const {
  uint64_t rank = 0;
  for (int axis = 0; axis < kMeshAxes; ++axis) {
    rank = rank * degrees[axis] + coordinates[axis];
  }
  return rank;
}

std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return std::nullopt;
  }
  return sum;
}

std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return std::nullopt;
  }
  return product;
}

uint64_t DivideUp(uint64_t value, uint64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

std::optional<uint64_t> CheckedRoundUp(uint64_t value, uint64_t multiple) {
  return CheckedMultiply(DivideUp(value, multiple), multiple);
}

absl::Status ValidateShard(const planpb::Shard& shard) {
  if (shard.granule() == 0) {
    return absl::InvalidArgumentError(
        "a shard has granule 0, expected at least 1");
  }
  return ValidateAxes(shard.axes());
}

absl::Status ValidateSizeExpr(const planpb::SizeExpr& expression) {
  for (const planpb::SizeSum& sum : expression.alternatives()) {
    for (const planpb::SizeTerm& term : sum.terms()) {
      RETURN_IF_ERROR(ValidateAxes(term.per_degree()));
      if (term.has_shard()) {
        RETURN_IF_ERROR(ValidateShard(term.shard()));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ShardLength(const planpb::Shard& shard,
                                     const RankBinding& binding) {
  RETURN_IF_ERROR(ValidateShard(shard));
  ASSIGN_OR_RETURN(const uint64_t parts, RanksAlong(shard.axes(), binding));
  const auto step = CheckedMultiply(shard.granule(), parts);
  if (!step) {
    return Overflow();
  }
  const auto length =
      CheckedMultiply(shard.granule(), DivideUp(shard.elements(), *step));
  if (!length) {
    return Overflow();
  }
  return *length;
}

absl::StatusOr<OwnedRange> OwnedElements(const planpb::Shard& shard,
                                         const RankBinding& binding) {
  ASSIGN_OR_RETURN(const uint64_t length, ShardLength(shard, binding));
  const auto begin = CheckedMultiply(length, IndexAlong(shard.axes(), binding));
  if (!begin) {
    return Overflow();
  }
  const auto end = CheckedAdd(*begin, length);
  if (!end) {
    return Overflow();
  }
  return OwnedRange{std::min(*begin, shard.elements()),
                    std::min(*end, shard.elements())};
}

absl::StatusOr<PartBytes> OwnedBytes(const planpb::Shard& shard,
                                     uint64_t element_bits,
                                     const RankBinding& binding) {
  ASSIGN_OR_RETURN(const uint64_t length, ShardLength(shard, binding));
  ASSIGN_OR_RETURN(const OwnedRange owned, OwnedElements(shard, binding));
  const auto room = CheckedMultiply(length, element_bits);
  if (!room || !CheckedMultiply(shard.elements(), element_bits)) {
    return Overflow();
  }
  return PartBytes{*room / 8, owned.begin * element_bits / 8,
                   owned.end * element_bits / 8};
}

uint64_t TilesOfPart(uint64_t tiles, uint64_t elements, uint64_t owned) {
  return DivideUp(owned, elements / tiles);
}

absl::StatusOr<uint64_t> LaunchTiles(const planpb::Launch& launch,
                                     const planpb::KernelEntry& entry,
                                     const RankBinding& binding) {
  if (!launch.has_part()) {
    return entry.tiles();
  }
  const uint64_t elements = launch.part().elements();
  if (entry.tiles() == 0 || elements % entry.tiles() != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a rank's part of a multiple of ", entry.tiles(),
                     " tiles, got one of ", elements, " elements"));
  }
  ASSIGN_OR_RETURN(const OwnedRange owned,
                   OwnedElements(launch.part(), binding));
  return TilesOfPart(entry.tiles(), elements, owned.size());
}

absl::StatusOr<uint64_t> EvaluateSize(const planpb::SizeExpr& expression,
                                      const RankBinding& binding) {
  uint64_t largest = 0;
  for (const planpb::SizeSum& sum : expression.alternatives()) {
    uint64_t total = 0;
    for (const planpb::SizeTerm& term : sum.terms()) {
      ASSIGN_OR_RETURN(const uint64_t value, EvaluateTerm(term, binding));
      const auto next = CheckedAdd(total, value);
      if (!next) {
        return Overflow();
      }
      total = *next;
    }
    largest = std::max(largest, total);
  }
  return largest;
}

std::optional<uint64_t> ConstantSize(const planpb::SizeExpr& expression) {
  for (const planpb::SizeSum& sum : expression.alternatives()) {
    for (const planpb::SizeTerm& term : sum.terms()) {
      if (term.per_thread() || term.per_degree_size() > 0) {
        return std::nullopt;
      }
      if (term.has_shard() && term.shard().axes_size() > 0) {
        return std::nullopt;
      }
    }
  }
  auto value = EvaluateSize(expression, RankBinding());
  if (!value.ok()) {
    return std::nullopt;
  }
  return *value;
}

planpb::SizeExpr ConstantSizeExpr(uint64_t bytes) {
  planpb::SizeExpr expression;
  expression.add_alternatives()->add_terms()->set_factor(bytes);
  return expression;
}

}  // namespace accel::runtime
