// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What collectives cost: bytes that a rank sends, for traces and estimates.
#ifndef ACCEL_RUNTIME_PLAN_SIZES_COLLECTIVE_BYTES_H_
#define ACCEL_RUNTIME_PLAN_SIZES_COLLECTIVE_BYTES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// Bytes of the whole tensor that a collective works on.
// Requires: PlanView has accepted the collective.
uint64_t TensorBytes(const planpb::Collective& collective);

// Bytes that one rank sends in a collective of N ranks, S elements of w bytes,
// with the ring algorithms that are optimal in volume. It depends on the plan
// and N alone, not on how the communicator of this host moves data:
//
//   all_gather, reduce_scatter   (N - 1) L(N) w
//   all_reduce                   2 (N - 1) ceil(S / N) w
//   broadcast                    ceil((N - 1) S w / N), the mean over the
//   ranks:
//                                all but the last of the ring pass on S w
//   barrier                      0
//
// One rank sends nothing. Unimplemented for other kinds, InvalidArgument beyond
// 64 bits.
// Requires: PlanView has accepted the collective.
absl::StatusOr<uint64_t> BytesSent(const planpb::Collective& collective,
                                   const RankBinding& binding);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SIZES_COLLECTIVE_BYTES_H_
