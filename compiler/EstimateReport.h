// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `--estimate` prints.
#ifndef ACCEL_COMPILER_ESTIMATEREPORT_H
#define ACCEL_COMPILER_ESTIMATEREPORT_H

#include "compiler/MemoryLimit.h"

#include <optional>

namespace accel {

struct EstimateReport {
  const TrainingEstimate &estimate;
  std::vector<RankEstimate> ranks; ///< of getShownRankCounts
  std::optional<MemoryFit> fit;    ///< where there is a limit
};

/// Estimates the ranks that are shown.
mlir::FailureOr<EstimateReport>
makeEstimateReport(const TrainingEstimate &estimate,
                   const std::optional<MemoryFit> &fit);

/// Tables of at most 100 columns.
void printEstimate(const EstimateReport &report, llvm::raw_ostream &stream);

/// One object; docs/distributed.md says what is in it.
void printEstimateAsJson(const EstimateReport &report,
                         llvm::raw_ostream &stream);

} // namespace accel

#endif
