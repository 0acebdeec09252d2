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
  explicit PlanCollectives(mlir::ModuleOp module) : module(module) {}

  void fill(plan::AllReduceOp op, planpb::Instruction &instruction);
  void fill(plan::AllGatherOp op, planpb::Instruction &instruction);
  void fill(plan::ReduceScatterOp op, planpb::Instruction &instruction);

  /// Where the master `state` was gathered first, if it was.
  std::optional<uint32_t> findGatheredBuffer(llvm::StringRef state) const;

private:
  void fillCut(mlir::Operation *op, llvm::StringRef state,
               planpb::Collective::Kind kind, plan::ShardAttr shard,
               planpb::Instruction &instruction);
  void nameSegment(llvm::StringRef symbol, planpb::Instruction &instruction);

  mlir::ModuleOp module;
  llvm::StringMap<uint32_t> gatheredBuffers; ///< the first of each master
};

/// What ranks touch of the slots that buckets are gathered into. Counts the
/// function that gathers into the most memory: functions run one after the
/// other in the same arena.
void addGatheredUses(mlir::ModuleOp module, planpb::Manifest &manifest);

/// The schema's axis of that name.
planpb::MeshAxis toMeshAxis(llvm::StringRef name);

void fillShard(planpb::Shard &message, plan::ShardAttr shard);

} // namespace accel

#endif
