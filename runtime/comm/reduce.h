// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of reductions over ranks.
#ifndef ACCEL_RUNTIME_COMM_REDUCE_H_
#define ACCEL_RUNTIME_COMM_REDUCE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/comm/collective_call.h"

namespace accel::runtime {

// output[i] = ((inputs[0][i] op inputs[1][i]) op inputs[2][i]) ..., in the
// element type: f32, f64 or i64 (whose sum wraps around). A NaN stays one, also
// under max and min. `output` may be one of the inputs; nothing need be
// aligned.
// Requires: at least one input; a type and reduction that ValidateCall accepts.
void ReduceInOrder(DType dtype, CollectiveCall::Reduction reduction,
                   absl::Span<const std::byte* const> inputs, uint64_t elements,
                   std::byte* output);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_REDUCE_H_
