// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread's elements of a one-dimensional linalg.generic that a warp
// executes.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPBODY_H
#define ACCEL_PASSES_LOWER_CUDA_WARPBODY_H

#include "passes/Lower/Cuda/PrivateBuffers.h"
#include "passes/Lower/Loops/RowReductions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace accel {

/// Which elements of a chunk a thread takes.
enum class WarpOrder {
  Strided,    ///< thread t takes t, t + 32, t + 64 and t + 96
  Neighbours, ///< thread t takes 4 t to 4 t + 3
  Single,     ///< all threads take the first one
};

/// One of a thread's elements of the chunk that begins at `start`.
struct WarpPart {
  mlir::Value start;
  int64_t number = 0;
  WarpOrder order = WarpOrder::Strided;
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
  /// Several elements of a chunk, which are there; all kThreadElements
  /// neighbours of a thread in one access.
  llvm::SmallVector<Loaded> loadAll(llvm::ArrayRef<WarpPart> parts);
  void storeAll(llvm::ArrayRef<WarpPart> parts,
                llvm::ArrayRef<Computed> computed);
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
  /// Whether it uses a buffer of which each thread keeps its own elements.
  bool usesDivided();
  /// Whether everything in memory that is read or stored element by element
  /// begins where kThreadElements neighbours may be accessed at once. What is
  /// not proven does not count.
  bool isAligned();

private:
  bool isStreamed(mlir::OpOperand &operand);
  bool isRead(mlir::OpOperand &operand);
  mlir::Value loadOne(mlir::OpOperand &operand, const WarpPart &part);
  Loaded loadNeighbours(mlir::OpOperand &operand,
                        llvm::ArrayRef<WarpPart> parts);
  void storeNeighbours(mlir::Value first, llvm::ArrayRef<Computed> computed);
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
