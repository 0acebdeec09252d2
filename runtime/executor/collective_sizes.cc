// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes by kind.
#include "runtime/executor/collective_sizes.h"

#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {

absl::StatusOr<CollectiveSizes> CollectiveSizes::Of(
    const planpb::Collective& collective, const RankBinding& binding) {
  const uint64_t bits = ElementBits(collective.dtype());
  CollectiveSizes sizes;
  ASSIGN_OR_RETURN(sizes.part, OwnedBytes(collective.shard(), bits, binding));
  // Validation has checked the product.
  sizes.whole = collective.shard().elements() * bits / 8;
  sizes.gathers = collective.kind() == planpb::Collective::KIND_ALL_GATHER;
  sizes.scatters = collective.kind() == planpb::Collective::KIND_REDUCE_SCATTER;
  return sizes;
}

}  // namespace accel::runtime
