// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimates that a report shows.
#include "compiler/EstimateReport.h"

using namespace mlir;

namespace accel {

FailureOr<EstimateReport>
makeEstimateReport(const TrainingEstimate &estimate,
                   const std::optional<MemoryFit> &fit) {
  EstimateReport report{estimate, {}, fit};
  for (uint64_t ranks : getShownRankCounts(estimate.getMaxRanks())) {
    FailureOr<RankEstimate> rank = estimate.estimateRank(ranks);
    if (failed(rank)) {
      return failure();
    }
    report.ranks.push_back(*rank);
  }
  return report;
}

} // namespace accel
