// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all kinds of kernels share while their code is written: the function,
// its buffers and its workspace.
#ifndef ACCEL_PASSES_LOWER_LOOPS_KERNELEMITTER_H
#define ACCEL_PASSES_LOWER_LOOPS_KERNELEMITTER_H

#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Lower/ScalarEmitter.h"

namespace accel {

/// Writes the code of one kernel.
class KernelEmitter : public ScalarEmitter {
public:
  /// Adds the function `<kernel>.code` behind `kernel` and starts at its
  /// beginning. `routineLanes`: see getRoutineLanes.
  KernelEmitter(mlir::func::FuncOp kernel, const IterationDomain &domain,
                plan::CodeAttr geometry, llvm::ArrayRef<int64_t> routineLanes);

  /// Ends the function.
  void finish();

  mlir::func::FuncOp getCode() const { return code; }
  const IterationDomain &getDomain() const { return domain; }
  /// How the domain is cut in the variant that the code is for.
  plan::CodeAttr getGeometry() const { return geometry; }
  mlir::Value getBegin() const { return begin; }
  mlir::Value getEnd() const { return end; }

  /// The tensors that the kernel returns, the buffers they go to, and how they
  /// meet what is there.
  mlir::ValueRange getResults();
  mlir::Value getResultBuffer(unsigned result);
  Storing getStoring(unsigned result);
  /// The thread's own memory, as floats. Requires: the geometry has some.
  mlir::Value getWorkspace();
  mlir::Value getBuffer(mlir::BlockArgument argument) override;
  llvm::ArrayRef<int64_t> getRoutineLanes() const override {
    return routineLanes;
  }

  /// The buffer that `operand` of `op` is a contiguous part of, from element
  /// `offset` on. Null after an error: it does not lie in memory.
  mlir::Value getContiguous(mlir::Operation *op, mlir::Value operand,
                            int64_t &offset);

  /// A buffer of the call, declared at the function's entry.
  mlir::Value allocate(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// What such a buffer without dimensions holds.
  mlir::Value getNumber(mlir::Value number);
  void setNumber(mlir::Value number, mlir::Value value);

private:
  mlir::func::FuncOp code;
  IterationDomain domain;
  plan::CodeAttr geometry;
  llvm::ArrayRef<int64_t> routineLanes;
  mlir::Value begin, end;
};

} // namespace accel

#endif
