// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made-up data for a plan without files: functions of (seed, row) with a
// structure that a model can learn, so that a falling loss means something.
#ifndef ACCEL_RUNTIME_DATA_SYNTHETIC_SOURCE_H_
#define ACCEL_RUNTIME_DATA_SYNTHETIC_SOURCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"

namespace accel::runtime {

// Rows that synthetic data pretend to have.
inline constexpr int64_t kSyntheticRows = int64_t{1} << 20;

// Language models (an integer target shaped like an integer input with a range)
// get noisy arithmetic token chains and their successors: seven of eight tokens
// follow from the one before. All other models get eight hidden numbers per
// row: inputs are noisy copies of them, targets exact ones. Fails, all at once,
// for fields that nothing can be made up for.
absl::StatusOr<BoundSources> MakeSyntheticSources(
    const std::vector<SignatureField>& signature, uint64_t seed);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_SYNTHETIC_SOURCE_H_
