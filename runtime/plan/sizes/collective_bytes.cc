// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Volumes of ring algorithms, in checked arithmetic.
#include "runtime/plan/sizes/collective_bytes.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/instruction_names.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

// times * elements, in bytes.
absl::StatusOr<uint64_t> Bytes(uint64_t times, uint64_t elements,
                               const Collective& collective) {
  const auto bits = CheckedMultiply(elements, ElementBits(collective.dtype()));
  const auto all = bits ? CheckedMultiply(DivideUp(*bits, 8), times) : bits;
  if (!all) {
    return absl::InvalidArgumentError(
        "what a collective sends exceeds 64 bits");
  }
  return *all;
}

}  // namespace

uint64_t TensorBytes(const Collective& collective) {
  return DivideUp(
      collective.shard().elements() * ElementBits(collective.dtype()), 8);
}

absl::StatusOr<uint64_t> BytesSent(const Collective& collective,
                                   const RankBinding& binding) {
  ASSIGN_OR_RETURN(const uint64_t ranks,
                   RanksAlong(collective.axes(), binding));
  const uint64_t elements = collective.shard().elements();
  switch (collective.kind()) {
    case Collective::KIND_ALL_GATHER:
    case Collective::KIND_REDUCE_SCATTER: {
      ASSIGN_OR_RETURN(const uint64_t length,
                       ShardLength(collective.shard(), binding));
      return Bytes(ranks - 1, length, collective);
    }
    case Collective::KIND_ALL_REDUCE:
      return Bytes(2 * (ranks - 1), DivideUp(elements, ranks), collective);
    case Collective::KIND_BROADCAST: {
      ASSIGN_OR_RETURN(const uint64_t all,
                       Bytes(ranks - 1, elements, collective));
      return DivideUp(all, ranks);
    }
    case Collective::KIND_BARRIER:
      return 0;
    default:
      return absl::UnimplementedError(
          absl::StrCat("nobody knows what a '",
                       CollectiveKindName(collective.kind()), "' sends"));
  }
}

}  // namespace accel::runtime
