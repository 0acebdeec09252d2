// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layers of a model for a learning rate that decays from layer to layer.
#ifndef ACCEL_PASSES_ACCUMULATE_LAYERNUMBERS_H
#define ACCEL_PASSES_ACCUMULATE_LAYERNUMBERS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Accumulate/NamedBlocks.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace accel {

/// Layer 0 is what is read in front of the blocks and between them, blocks are
/// layers from 1 on, and what is first read behind them is the last layer.
struct LayerNumbers {
  NamedBlocks blocks;
  llvm::DenseMap<mlir::StringAttr, int64_t> layers; ///< by parameter
  int64_t last = 0;                                 ///< largest of them

  /// X^(last - layer), as timm scales.
  double getFactor(ParameterOp parameter, double x) const;
};

/// Of the parameters that `loop`, that over microbatches, reads.
LayerNumbers numberLayers(mlir::ModuleOp module, RepeatOp loop,
                          const NamedBlocks &blocks);

} // namespace accel

#endif
