// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that depend on the mesh and on the threads per rank: what binds them,
// and their evaluation, which refuses to overflow.
#ifndef ACCEL_RUNTIME_PLAN_SIZES_SIZE_EXPR_H_
#define ACCEL_RUNTIME_PLAN_SIZES_SIZE_EXPR_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "google/protobuf/repeated_field.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

inline constexpr int kMeshAxes = 6;

// "replica", "fsdp", ...; "unknown" for what is no axis.
absl::string_view MeshAxisName(planpb::MeshAxis axis);

// Whether ranks along `axis` have different samples: replica, fsdp.
bool IsDataAxis(planpb::MeshAxis axis);

// The axis that the ranks of a run lie along: `fsdp` or `replica`, whichever is
// symbolic. Requires: the mesh is valid.
planpb::MeshAxis AxisOfRun(const planpb::Manifest& manifest);

// Where one rank stands in a run: the degrees of all axes, its coordinates
// along them, and its threads. A run of one rank is the default.
struct RankBinding {
  // Rank `rank` of a run of the plan on `ranks` ranks. Requires: the mesh is
  // valid.
  static RankBinding OfRun(const planpb::Manifest& manifest, uint64_t rank,
                           uint64_t ranks, uint64_t threads);

  std::array<uint64_t, kMeshAxes> degrees = {1, 1, 1, 1, 1, 1};
  std::array<uint64_t, kMeshAxes> coordinates = {0, 0, 0, 0, 0, 0};
  uint64_t threads = 1;

  uint64_t degree(planpb::MeshAxis axis) const { return degrees[axis - 1]; }
  uint64_t coordinate(planpb::MeshAxis axis) const {
    return coordinates[axis - 1];
  }
  // The same for rank `rank` of the same run.
  RankBinding OfRank(uint64_t rank) const;
  // Product of all degrees.
  uint64_t rank_count() const;
  // Number of this rank among them; the first axis varies slowest.
  uint64_t rank() const;
};

// A range of elements that a rank owns.
struct OwnedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// The ranks that differ along `axes` only: the product of their degrees.
// InvalidArgument beyond 64 bits.
absl::StatusOr<uint64_t> RanksAlong(
    const google::protobuf::RepeatedField<int>& axes,
    const RankBinding& binding);

// Checks what does not depend on a binding: axes known, granule at least 1.
absl::Status ValidateShard(const planpb::Shard& shard);
absl::Status ValidateSizeExpr(const planpb::SizeExpr& expression);

// Requires of all below: the expression or shard is valid.

// L(N), elements of every shard but the last ones.
absl::StatusOr<uint64_t> ShardLength(const planpb::Shard& shard,
                                     const RankBinding& binding);
// What the rank of `binding` owns. The first axis varies slowest.
absl::StatusOr<OwnedRange> OwnedElements(const planpb::Shard& shard,
                                         const RankBinding& binding);
// What every rank's part has room for, and what the rank of `binding` owns, in
// bytes of `element_bits` each.
struct PartBytes {
  uint64_t room = 0;   // L(N) elements
  uint64_t begin = 0;  // of what is owned
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};
absl::StatusOr<PartBytes> OwnedBytes(const planpb::Shard& shard,
                                     uint64_t element_bits,
                                     const RankBinding& binding);
// Tiles of a part of a kernel's work: of `owned` of `elements`, a multiple of
// all its `tiles`.
uint64_t TilesOfPart(uint64_t tiles, uint64_t elements, uint64_t owned);
// Tiles of the kernel behind `entry` that the rank runs: all, or those of its
// part of `launch.part`.
absl::StatusOr<uint64_t> LaunchTiles(const planpb::Launch& launch,
                                     const planpb::KernelEntry& entry,
                                     const RankBinding& binding);
absl::StatusOr<uint64_t> EvaluateSize(const planpb::SizeExpr& expression,
                                      const RankBinding& binding);

// The value of an expression that depends on nothing, or nothing.
std::optional<uint64_t> ConstantSize(const planpb::SizeExpr& expression);

// The expression of a constant, for writers of plans.
planpb::SizeExpr ConstantSizeExpr(uint64_t bytes);

// a + b and a * b, or nothing if they leave 64 bits.
std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b);
std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b);
// value / divisor, rounded up.
uint64_t DivideUp(uint64_t value, uint64_t divisor);
// The next multiple of `multiple` that is not below `value`.
std::optional<uint64_t> CheckedRoundUp(uint64_t value, uint64_t multiple);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SIZES_SIZE_EXPR_H_
