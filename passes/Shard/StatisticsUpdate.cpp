// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Microbatches have weighed what they add by their place in the step.
#include "passes/Shard/StatisticsUpdate.h"

using namespace mlir;
using namespace accel;

void accel::buildStatisticsUpdate(UpdateBuilder &b, ModuleOp module) {
  for (StateOp change : module.getOps<StateOp>()) {
    if (!change.isGradient() ||
        change.getGroup() != OptimizerGroup::Statistic) {
      continue;
    }
    std::string master = change.getMasterName();
    Value old = b.create<ReadOp>(change.getType(), master);
    Value moved =
        b.add(old, b.create<ReadOp>(change.getType(), change.getSymName()));
    b.write(master, moved, old);
  }
}
