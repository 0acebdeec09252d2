// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of kernels become launches.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_CALLCONVERSION_H
#define ACCEL_PASSES_FUSE_BUFFERS_CALLCONVERSION_H

#include "passes/Fuse/Buffers/ResultBuffers.h"

namespace accel {

/// Launches the kernels that a function calls, on the buffers of operands and
/// results; each rank runs its own elements of a call that is cut.
/// Borrows: its arguments.
class CallConversion {
public:
  CallConversion(const mlir::SymbolTable &symbols,
                 BufferDeclarations &declarations, SymbolBuffers &symbolBuffers,
                 ValueBuffers &values)
      : symbols(symbols), declarations(declarations), values(values),
        results(declarations, symbolBuffers, values) {}

  llvm::LogicalResult convert(mlir::func::CallOp call,
                              mlir::OpBuilder &builder);

private:
  plan::ShardAttr findShard(mlir::func::CallOp call) const;
  plan::ShardAttr findResultShard(mlir::func::CallOp call) const;
  llvm::FailureOr<mlir::Value> getRows(KernelCall &call,
                                       mlir::OpOperand &operand);
  llvm::LogicalResult addOperands(KernelCall &call);

  const mlir::SymbolTable &symbols;
  BufferDeclarations &declarations;
  ValueBuffers &values;
  ResultBuffers results;
};

} // namespace accel

#endif
