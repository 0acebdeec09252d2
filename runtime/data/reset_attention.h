// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --reset-attention asks of a plan: that no token attends to another
// document.
#ifndef ACCEL_RUNTIME_DATA_RESET_ATTENTION_H_
#define ACCEL_RUNTIME_DATA_RESET_ATTENTION_H_

#include <vector>

#include "absl/status/status.h"
#include "runtime/data/signature.h"

namespace accel::runtime {

// An input with a number for each pair of tokens, [batch, T, T] or
// [batch, 1, T, T]: a mask that can keep documents apart.
bool IsPairMask(const SignatureField& field);

// InvalidArgument, always: no input of a plan is filled with where documents
// end. A row of attention_mask hides columns from all tokens of a sample, and
// position_ids hide none. The error names the inputs, and says what to do: if
// there is a mask for pairs of tokens, to give it as an array.
absl::Status RefuseResetAttention(const std::vector<SignatureField>& signature);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_RESET_ATTENTION_H_
