// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of a collective: what a rank asks for, how the tensor is cut over
// the ranks, and what of it all ranks must agree on.
#ifndef ACCEL_RUNTIME_COMM_COLLECTIVE_CALL_H_
#define ACCEL_RUNTIME_COMM_COLLECTIVE_CALL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/dtype.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// The tensor has `elements` elements, cut over the ranks as planpb::Shard says:
// rank r owns [r L, min(elements, (r+1) L)), L = granule * ceil(elements /
// (granule * ranks)).
//
//   kind            input                      output
//   all_gather      what this rank owns        the tensor
//   reduce_scatter  the tensor                 what this rank owns
//   all_reduce      the tensor                 the tensor
//   broadcast       the tensor on the root     the tensor
//   barrier         nothing                    nothing
//
// Input and output are apart, or in place: the one begins where its part of the
// other lies. Reductions are those of f32, f64 and i64; what only moves may
// have any type.
//
// Borrows: name, input and output, from Start until its Wait has returned.
struct CollectiveCall {
  using Kind = planpb::Collective::Kind;
  using Reduction = planpb::Collective::Reduction;

  Kind kind = planpb::Collective::KIND_BARRIER;
  Reduction reduction = planpb::Collective::REDUCTION_NONE;
  DType dtype = DType::kF32;
  uint64_t elements = 0;
  uint64_t granule = 1;
  uint32_t root = 0;
  // Of the plan: its position among the function's collectives.
  uint64_t sequence = 0;
  // For people: "all_reduce block3.decayed.gradient".
  absl::string_view name;
  absl::Span<const std::byte> input;
  absl::Span<std::byte> output;

  uint64_t width() const { return static_cast<uint64_t>(ByteWidth(dtype)); }
  bool reduces() const {
    return kind == planpb::Collective::KIND_ALL_REDUCE ||
           kind == planpb::Collective::KIND_REDUCE_SCATTER;
  }
};

// How a tensor is cut over the ranks of one group. Allocates only when made.
class ShardCut {
 public:
  explicit ShardCut(uint32_t ranks);

  // InvalidArgument for a granule of 0 and for sizes beyond 64 bits.
  absl::Status Set(uint64_t elements, uint64_t granule);
  // Requires: Set has returned OK. Rank 0 owns the most.
  OwnedRange Of(uint32_t rank);

 private:
  planpb::Shard shard_;
  RankBinding binding_;
};

// Checks all that one rank can know: kind, types, sizes, overlaps. Leaves the
// call's cut in `cut`. Unimplemented for what no communicator can do (yet).
absl::Status ValidateCall(const CollectiveCall& call, uint32_t rank,
                          uint32_t ranks, ShardCut& cut);

// What all ranks must agree on, as it lies in shared memory: no padding, the
// unused part of the name is zero, so equal calls have equal bytes.
struct CallDescription {
  uint32_t kind = 0;  // 0: an allocation of `elements` shared bytes
  uint32_t reduction = 0;
  uint32_t dtype = 0;
  uint32_t root = 0;
  uint64_t sequence = 0;
  uint64_t elements = 0;
  uint64_t granule = 0;
  // Where the output lies in the group's shared memory, plus one; 0: nowhere.
  uint64_t placement_plus_one = 0;
  char name[96] = {};  // cut off where it is longer

  bool operator==(const CallDescription& other) const;
};
static_assert(std::has_unique_object_representations_v<CallDescription>);

CallDescription Describe(const CollectiveCall& call);
CallDescription DescribeAllocation(absl::string_view name, uint64_t bytes);

// "all_reduce block3.gradient (all_reduce, sum, f32, 1000 elements, sequence
// 7)".
std::string DescriptionText(const CallDescription& description);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_COLLECTIVE_CALL_H_
