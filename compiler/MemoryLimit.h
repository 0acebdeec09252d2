// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On how many ranks training fits into so much memory per rank: exactly, of all
// counts that a plan allows.
#ifndef ACCEL_COMPILER_MEMORYLIMIT_H
#define ACCEL_COMPILER_MEMORYLIMIT_H

#include "compiler/Estimate.h"

#include <optional>

namespace accel {

struct MemoryFit {
  uint64_t limit = 0; ///< bytes per rank
  /// On the fewest ranks that fit; nothing if none does.
  std::optional<RankEstimate> smallest;
  /// The first and the last count above it that do not fit again: padding to
  /// whole granules grows with the ranks.
  std::optional<uint64_t> firstMisfit, lastMisfit;
  RankEstimate least; ///< where a rank needs least, on as few ranks as that
};

/// Looks at all counts from 1 to the estimate's limit.
mlir::FailureOr<MemoryFit> findFit(const TrainingEstimate &estimate,
                                   uint64_t limit);

/// `fits 16.0 GiB from 4 ranks on: 14.2 GiB per rank`. Requires: some do.
std::string describeFit(const MemoryFit &fit, uint64_t maxRanks);

/// Why none does, and what to do. Requires: none does.
std::string explainMisfit(const MemoryFit &fit,
                          const TrainingEstimate &estimate);

} // namespace accel

#endif
