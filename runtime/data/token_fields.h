// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds, in a signature, the input that takes token ids and the target that
// takes their successors.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_FIELDS_H_
#define ACCEL_RUNTIME_DATA_TOKEN_FIELDS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/data/signature.h"

namespace accel::runtime {

// Rows of integers: [batch, T] with T >= 1.
bool IsTokenRow(const SignatureField& field);

// A target aligned with `input`, token by token: the successors of its tokens.
bool IsSuccessorTarget(const SignatureField& target,
                       const SignatureField& input);

// The inputs that may be token ids, best rule first: rows of integers with a
// range; of several, those with a successor target; of several, those whose
// range is that of the target. More than one result: ambiguous.
std::vector<size_t> TokenInputs(const std::vector<SignatureField>& signature);

// The first successor target of that input, if there is one.
std::optional<size_t> SuccessorTarget(
    const std::vector<SignatureField>& signature, size_t input);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_FIELDS_H_
