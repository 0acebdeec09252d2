// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of 16-bit floats by matrix instructions: a warp has 16 or 32 rows
// of queries, or 16 of keys, and takes the others step by step.
#ifndef ACCEL_PASSES_LOWER_CUDA_MATRIXATTENTION_H
#define ACCEL_PASSES_LOWER_CUDA_MATRIXATTENTION_H

#include "passes/Lower/Cuda/MatrixRows.h"
#include "passes/Lower/Cuda/WarpAttention.h"

namespace accel {

/// What the kernels of attention and of its gradient have in common. Requires:
/// WarpAttentionTiles::usesMatrices.
class MatrixAttention : public WarpAttention {
protected:
  using Sums = MatrixOps::Sums;
  using AllSums = MatrixRows::AllSums;
  /// Sums that threads keep from step to step.
  using KeptSums = llvm::SmallVector<std::array<Value, 4>>;

  MatrixAttention(KernelEmitter &emitter, mlir::Operation *op);

  KeptSums makeSums(int64_t steps) const;
  void clear(const KeptSums &kept) const;
  AllSums get(const KeptSums &kept) const;
  void set(const KeptSums &kept, llvm::ArrayRef<Sums> sums) const;
  Sums zeroSums() const;

  /// Adds left times right, summed over the depth of both.
  Sums multiply(const MatrixRows::Lefts &left, const MatrixRows::Rights &right,
                Sums sums) const;
  /// kept += left times right, for each of its columns.
  void accumulate(const KeptSums &kept, const MatrixOps::Left &left,
                  const MatrixRows::Rights &right) const;
  /// Sums of 16 rows and twice eight columns as the left of a product.
  MatrixOps::Left asLeft(const Sums &low, const Sums &high) const;

  /// Rows of a step, and columns of so many products.
  static constexpr int64_t kStep = 16;
  static constexpr int64_t kProducts = kStep / MatrixOps::kColumns;
  /// The end of the last whole step before `row`.
  Value floorStep(Value row) const {
    return indices.mul(indices.div(row, kStep), kStep);
  }

  /// Where a loop over steps ends, and whether its body must look which places
  /// are seen.
  struct Range {
    Value end;
    bool looks;
  };
  using Words = MatrixRows::Words;
  using LoadStep = llvm::function_ref<Words(Value first)>;
  using StepBody =
      llvm::function_ref<void(Value first, llvm::ArrayRef<Value>, bool looks)>;
  /// The keys that all queries of a tile see, from `first` on, and those that
  /// some of them see.
  std::array<Range, 2> keysOf(Value first) const;
  /// Loops over steps of `count` rows from `begin` on, one range after the
  /// other. What `load` loads for a step, `body` gets; it is loaded
  /// while the step before is computed, for memory answers late and few warps
  /// have room.
  void forEachStep(Value begin, llvm::ArrayRef<Range> ranges, int64_t count,
                   LoadStep load, StepBody body);

  /// What is raised to the power of two when it is multiplied by `factor`: the
  /// product of a query and a key, or their masked score; -inf where `looks`
  /// and the place is not seen.
  Value logit(Value product, const Place &place, bool looks);
  /// 2^(logit * factor - shift)
  Value power(Value logit, Value shift) const {
    return ops.exp2(m.fma(logit, m.number(factor), m.neg(shift)));
  }
  /// What `power` takes for a row whose lse is known: +inf if it sees nothing.
  Value shiftOf(Value lse) const;

  /// The place in a head of row `i` of the four sums of a thread: 0, 0, 8, 8
  /// behind its group; of column `i`: 0, 1, 0, 1 behind twice its member.
  Value rowAt(Value first, unsigned i) const;
  Value columnAt(Value first, unsigned i) const;

  MatrixOps ops;
  double factor;

private:
  Value isSeen(const Place &place) const;
  Place inside(const Place &place) const;

  bool takesProducts; ///< logits are products, not scores
};

/// Writes the kernel of an attention, or of its gradient, whose tiles are those
/// of WarpAttentionTiles.
void emitMatrixAttention(KernelEmitter &emitter, AttentionOp op);
void emitMatrixAttentionGrad(KernelEmitter &emitter, AttentionGradOp op);

} // namespace accel

#endif
