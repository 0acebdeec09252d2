// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives of a plan, and what depends on the number of ranks.
#ifndef ACCEL_COMPILER_PLANCOLLECTIVES_H
#define ACCEL_COMPILER_PLANCOLLECTIVES_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "runtime/plan/schema/plan.pb.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace accel {

/// Fills instructions whose accesses are there.
class PlanCollectives {
public:
  explicit PlanCollectives(mlir::ModuleOp module);

  void fill(plan::AllReduceOp op, planpb::Instruction &instruction);
  void fill(plan::AllGatherOp op, planpb::Instruction &instruction);
  void fill(plan::ReduceScatterOp op, planpb::Instruction &instruction);

private:
  void fillCut(mlir::Operation *op, llvm::StringRef state,
               planpb::Collective::Kind kind, plan::ShardAttr shard,
               planpb::Instruction &instruction);
  void setSegment(SegmentRefAttr segment, planpb::Instruction &instruction);

  /// The numbers of a segment's bucket and of the segment in it.
  llvm::DenseMap<mlir::Attribute, std::pair<uint32_t, uint32_t>> segments;
};

/// The schema's axis of that name.
planpb::MeshAxis toMeshAxis(llvm::StringRef name);

void fillShard(planpb::Shard &message, plan::ShardAttr shard);

} // namespace accel

#endif
