// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where kernels put their results.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_RESULTBUFFERS_H
#define ACCEL_PASSES_FUSE_BUFFERS_RESULTBUFFERS_H

#include "passes/Fuse/Buffers/KernelCall.h"
#include "passes/Fuse/Buffers/SymbolBuffers.h"
#include "passes/Fuse/Buffers/ValueBuffers.h"

namespace accel {

/// Finds or declares the buffer of a kernel's result: the symbol that it is
/// written to, an operand's that nobody needs any more, or a new one.
/// Borrows: its arguments.
class ResultBuffers {
public:
  ResultBuffers(BufferDeclarations &declarations, SymbolBuffers &symbols,
                ValueBuffers &values)
      : declarations(declarations), symbols(symbols), values(values) {}

  /// Says where `result` of `call` lies and returns what the launch writes.
  /// `builder`: in front of the launch.
  llvm::FailureOr<mlir::Value> place(KernelCall &call, mlir::Value result,
                                     mlir::OpBuilder &builder);

private:
  mlir::Value findStored(mlir::Value result);
  mlir::Value addActivation(mlir::Value result);
  mlir::Value placeWhole(KernelCall &call, mlir::Value result);
  llvm::FailureOr<mlir::Value> placePart(const KernelCall &call,
                                         mlir::Value result,
                                         mlir::OpBuilder &builder);

  BufferDeclarations &declarations;
  SymbolBuffers &symbols;
  ValueBuffers &values;
};

/// Whether two tensors are cut between the same blocks, of which each has so
/// many elements.
bool isSameCut(plan::ShardAttr one, plan::ShardAttr other);

/// The cut of a tensor of `elements`, one for each, or for each row that
/// divides the granule, of what `shard` cuts; null if it has not as many.
plan::ShardAttr getRowShard(plan::ShardAttr shard, int64_t elements);

} // namespace accel

#endif
