// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks exchange becomes instructions on buffers.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_COLLECTIVECONVERSION_H
#define ACCEL_PASSES_FUSE_BUFFERS_COLLECTIVECONVERSION_H

#include "dialects/Dist/IR/DistOps.h"
#include "passes/Fuse/Buffers/SymbolBuffers.h"
#include "passes/Fuse/Buffers/ValueBuffers.h"

namespace accel {

/// Converts collectives of values, and those of states outside the loop over
/// microbatches. Of those in it the buffers that they need are declared;
/// Schedule places them, bucket by bucket.
/// Borrows: its arguments.
class CollectiveConversion {
public:
  CollectiveConversion(mlir::SymbolTable &symbols,
                       BufferDeclarations &declarations,
                       SymbolBuffers &symbolBuffers, ValueBuffers &values)
      : symbols(symbols), declarations(declarations),
        symbolBuffers(symbolBuffers), values(values) {}

  /// Whether `op` is a collective in the loop, and stays.
  static bool isPlacedLater(mlir::Operation *op) {
    return llvm::isa<dist::AllGatherOp, dist::ReduceScatterOp>(op) &&
           llvm::isa<plan::RepeatOp>(op->getParentOp());
  }

  void convert(dist::AllReduceOp op, mlir::OpBuilder &builder);
  llvm::LogicalResult convert(dist::AllReduceValueOp op,
                              mlir::OpBuilder &builder);
  void convert(dist::AllGatherOp op, mlir::OpBuilder &builder);
  llvm::LogicalResult convert(dist::ReduceScatterOp op,
                              mlir::OpBuilder &builder);

private:
  llvm::SmallVector<StateOp> getStates(mlir::ArrayAttr names) const;
  llvm::LogicalResult declareAccumulation(dist::ReduceScatterOp op);

  mlir::SymbolTable &symbols; ///< gets kernels that add sums over ranks
  BufferDeclarations &declarations;
  SymbolBuffers &symbolBuffers;
  ValueBuffers &values;
};

} // namespace accel

#endif
