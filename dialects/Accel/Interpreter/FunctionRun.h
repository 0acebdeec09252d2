// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of one function by the interpreter: its values, and what every
// kind of operation does to the program's state. Included by the files of this
// folder only.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_FUNCTIONRUN_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_FUNCTIONRUN_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Interpreter.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {

/// One call of a function. A tensor lives until its last use.
class FunctionRun {
public:
  /// `depth` counts the calls that this one is nested in.
  FunctionRun(Interpreter &interpreter, int64_t microbatch, int depth)
      : interpreter(interpreter), microbatch(microbatch), depth(depth) {}

  mlir::FailureOr<llvm::SmallVector<HostTensor>>
  run(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments);

private:
  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult runOperation(mlir::Operation *op);
  mlir::LogicalResult runPure(mlir::Operation *op);
  mlir::LogicalResult runRead(mlir::Operation *op, llvm::StringRef symbol);
  mlir::LogicalResult runWrite(WriteOp op);
  mlir::LogicalResult runAccumulate(AccumulateOp op);
  mlir::LogicalResult runInput(InputOp op);
  mlir::LogicalResult runRepeat(RepeatOp op);
  mlir::LogicalResult runCall(mlir::func::CallOp op);

  llvm::SmallVector<HostTensor> getValues(mlir::ValueRange operands) const;
  void setResult(mlir::Value result, const HostTensor &value);

  Interpreter &interpreter;
  int64_t microbatch;
  int depth;
  llvm::DenseMap<mlir::Value, HostTensor> values;
  llvm::SmallVector<HostTensor> returned;
};

} // namespace accel

#endif
