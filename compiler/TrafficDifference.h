// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks send, next to what is published for the mode: the volumes of data
// parallelism, ZeRO's stages 1 and 2, and FSDP for a model without tied
// weights.
#ifndef ACCEL_COMPILER_TRAFFICDIFFERENCE_H
#define ACCEL_COMPILER_TRAFFICDIFFERENCE_H

#include "compiler/Estimate.h"

namespace accel {

/// In units of the parameters' bytes, for many ranks.
struct PublishedTraffic {
  uint64_t gathersPerMicrobatch = 0;
  uint64_t scattersPerMicrobatch = 0;
  uint64_t gathersPerStep = 0;
  uint64_t scattersPerStep = 0;
  uint64_t allReducesPerStep = 0; ///< each counts two units

  uint64_t getUnitsPerMicrobatch() const {
    return gathersPerMicrobatch + scattersPerMicrobatch;
  }
  uint64_t getUnitsPerStep() const {
    return gathersPerStep + scattersPerStep + 2 * allReducesPerStep;
  }
};

PublishedTraffic getPublishedTraffic(dist::ShardingMode mode);

/// Why a segment is moved more or less often than published; empty if it is
/// not.
std::vector<std::string> explainTraffic(const runtime::SegmentTraffic &segment,
                                        const PublishedTraffic &published);

/// Segments with the same reasons.
struct TrafficDifference {
  std::vector<std::string> names; ///< of buckets, or `BUCKET.SEGMENT`
  std::vector<std::string> reasons;
};

/// In the order of the buckets.
std::vector<TrafficDifference>
findTrafficDifferences(const TrainingEstimate &estimate);

} // namespace accel

#endif
