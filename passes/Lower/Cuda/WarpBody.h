// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread's element of a one-dimensional linalg.generic that a warp
// executes.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPBODY_H
#define ACCEL_PASSES_LOWER_CUDA_WARPBODY_H

#include "passes/Lower/Loops/RowReductions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// The buffers of a kernel's call, which each thread has for itself. One of
/// rank 1 is divided: a thread has room for its own elements only, one after
/// the other, and so in registers.
class PrivateBuffers {
public:
  /// Whether `buffer` is memory of the call, or a view of it.
  static bool isPrivate(mlir::Value buffer);
  /// What takes the place of the divided buffer that `buffer` is a view of;
  /// null if it is none.
  mlir::Value getDivided(mlir::Value buffer);
  /// Removes what has been replaced; an error where something else uses it.
  mlir::LogicalResult eraseDivided();

private:
  llvm::MapVector<mlir::Operation *, mlir::Value> divided;
};

/// The elements that the threads of a warp take at once.
struct WarpPart {
  mlir::Value start;     ///< of the chunk
  int64_t number = 0;    ///< thread t takes element start + 32 * number + t,
  bool isSingle = false; ///< or all take the element `start`
};

/// Emits elements of `op` at the builder's insertion point. Borrows: all.
class WarpBody {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  /// A value for each operand that the body reads; null for the others.
  using Loaded = Values;
  struct Computed {
    Values stored; ///< one per result that is no reduction
    Values sums;   ///< what the reductions have become
  };

  WarpBody(mlir::linalg::GenericOp op, llvm::ArrayRef<RowReduction> reductions,
           PrivateBuffers &buffers, mlir::OpBuilder &builder)
      : op(op), reductions(reductions), buffers(buffers), builder(builder),
        loc(op.getLoc()) {}

  /// The index of the thread's element.
  mlir::Value place(const WarpPart &part) const;
  Loaded load(const WarpPart &part);
  Computed compute(const WarpPart &part, llvm::ArrayRef<mlir::Value> loaded,
                   mlir::ValueRange sums);
  void store(const WarpPart &part, const Computed &computed) {
    storePrivate(part, computed);
    storeShared(part, computed);
  }
  /// What the thread keeps for itself, and what others may see.
  void storePrivate(const WarpPart &part, const Computed &computed) {
    storeWhere(part, computed, /*isPrivate=*/true);
  }
  void storeShared(const WarpPart &part, const Computed &computed) {
    storeWhere(part, computed, /*isPrivate=*/false);
  }

  /// Whether it stores anything that other threads may see.
  bool storesAny();

private:
  void storeWhere(const WarpPart &part, const Computed &computed,
                  bool isPrivate);
  /// Whether the operand takes in all elements, and as which reduction; -1: it
  /// does not.
  int64_t reductionOf(mlir::OpOperand &operand);
  /// The buffer behind an operand, and where in it the part's element is.
  std::pair<mlir::Value, mlir::Value> locate(mlir::Value operand,
                                             const WarpPart &part) const;

  mlir::linalg::GenericOp op;
  llvm::ArrayRef<RowReduction> reductions;
  PrivateBuffers &buffers;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace accel

#endif
