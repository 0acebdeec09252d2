// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Schedule.
#ifndef ACCEL_PASSES_SCHEDULE_SCHEDULEPIPELINE_H
#define ACCEL_PASSES_SCHEDULE_SCHEDULEPIPELINE_H

#include <cstdint>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct ScheduleOptions {
  /// Most ranks that buffers of gathered buckets have room for.
  int64_t maxRanks = 1024;
  std::string target = "cpu"; ///< a list of code variants
};

/// From instructions in program order to instructions on streams, ordered by
/// events.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const ScheduleOptions &options = {});

} // namespace accel

#endif
