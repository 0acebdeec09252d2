// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many bytes a rank puts into a collective of a plan and gets out of it.
#ifndef ACCEL_RUNTIME_EXECUTOR_COLLECTIVE_SIZES_H_
#define ACCEL_RUNTIME_EXECUTOR_COLLECTIVE_SIZES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

struct CollectiveSizes {
  // InvalidArgument if the tensor leaves 64 bits.
  static absl::StatusOr<CollectiveSizes> Of(
      const planpb::Collective& collective, const RankBinding& binding);

  uint64_t input() const { return gathers ? part.size() : whole; }
  uint64_t output() const { return scatters ? part.size() : whole; }

  uint64_t whole = 0;  // of the tensor
  PartBytes part;      // of this rank
  bool gathers = false;
  bool scatters = false;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_COLLECTIVE_SIZES_H_
