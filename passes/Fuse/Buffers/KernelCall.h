// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of a kernel on its way to become a launch.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_KERNELCALL_H
#define ACCEL_PASSES_FUSE_BUFFERS_KERNELCALL_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

struct KernelCall {
  mlir::func::CallOp op;
  mlir::func::FuncOp kernel;
  plan::ShardAttr shard; ///< null if every rank computes all
  /// Of the operands, and of the results that have one so far.
  llvm::SmallVector<mlir::Value> buffers;

  llvm::ArrayRef<mlir::Value> getResultBuffers() {
    return llvm::ArrayRef(buffers).drop_front(op.getNumOperands());
  }
};

} // namespace accel

#endif
