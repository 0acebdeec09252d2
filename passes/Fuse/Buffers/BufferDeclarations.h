// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beginning of a function of the plan, where its buffers are declared.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_BUFFERDECLARATIONS_H
#define ACCEL_PASSES_FUSE_BUFFERS_BUFFERDECLARATIONS_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace accel {

/// The buffer type of a tensor: booleans are bytes.
mlir::MemRefType getBufferType(mlir::Type type);

/// Declares buffers, views and parts of one function at its beginning, in the
/// order in which they are asked for.
/// Borrows: the function.
class BufferDeclarations {
public:
  explicit BufferDeclarations(mlir::func::FuncOp function);
  ~BufferDeclarations();
  BufferDeclarations(const BufferDeclarations &) = delete;
  BufferDeclarations &operator=(const BufferDeclarations &) = delete;

  /// Inserts behind what is declared so far.
  mlir::OpBuilder &getBuilder() { return builder; }

  /// A new transient buffer for a tensor of `type`.
  mlir::Value addTransient(mlir::Location loc, mlir::Type type,
                           plan::MemoryClass klass);
  /// A rank's part of `buffer`.
  mlir::Value addPart(mlir::Location loc, mlir::Value buffer,
                      plan::ShardAttr shard);
  /// The elements of `buffer` from `offset` on as a `type`: `buffer` itself
  /// where that is all of it. Equal views are declared once.
  mlir::Value getView(mlir::Location loc, mlir::Value buffer, int64_t offset,
                      mlir::MemRefType type);

private:
  mlir::OpBuilder builder;
  plan::RepeatOp anchor; ///< `builder` inserts in front of it
  llvm::DenseMap<std::pair<mlir::Value, int64_t>,
                 llvm::SmallVector<mlir::Value>>
      views; ///< by buffer and offset
};

} // namespace accel

#endif
