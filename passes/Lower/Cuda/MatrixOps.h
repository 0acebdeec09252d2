// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix instruction of GPUs, and what it takes from each thread.
#ifndef ACCEL_PASSES_LOWER_CUDA_MATRIXOPS_H
#define ACCEL_PASSES_LOWER_CUDA_MATRIXOPS_H

#include "passes/Lower/Cuda/WarpOps.h"

#include <array>

namespace accel {

/// mma.sync.m16n8k16: a warp adds the product of a matrix A of 16 rows and 16
/// columns with a matrix B of 16 rows and 8 columns, of 16-bit floats, to a
/// matrix of f32. A thread is member m = 0..3 of group g = 0..7, and holds
///
///   of A      row g, columns 2m, 2m + 1; row g + 8, the same; row g, columns
///             2m + 8, 2m + 9; row g + 8, the same: four words (i32)
///   of B      column g, rows 2m, 2m + 1; rows 2m + 8, 2m + 9: two words
///   of sums   row g, columns 2m, 2m + 1; row g + 8, the same: four f32
///
/// (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type").
/// A word holds the element with the smaller index in its low half.
///
/// Builds operations at the insertion point of a builder, where all threads of
/// a warp are. Borrows: the builder.
class MatrixOps : public WarpOps {
public:
  static constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16;
  /// Rows of B that a member has, behind 2m: two in each word.
  static constexpr std::array<int64_t, 4> kRowsOfRight = {0, 1, 8, 9};
  using Left = std::array<Value, 4>;
  using Right = std::array<Value, 2>;
  using Sums = std::array<Value, 4>;

  /// `element`: bf16 or f16.
  MatrixOps(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element)
      : WarpOps(builder, loc), element(element) {}

  /// The thread's group and its place there, indices.
  Value group() const;
  Value member() const;

  /// sums + a b
  Sums multiply(const Left &a, const Right &b, const Sums &sums) const;

  /// Two f32 as a word of two elements, rounded to the nearest, ties to even.
  Value pack(Value low, Value high) const;
  /// The low halves of two words as a word; the high ones.
  Value pairLow(Value low, Value high) const;
  Value pairHigh(Value low, Value high) const;

  /// B of the two columns of which words of four rows have the elements: the
  /// low halves, and the high ones.
  std::array<Right, 2> pairColumns(const std::array<Value, 4> &rows) const;

  /// 2^x within two units in the last place; subnormal numbers count as zero.
  Value exp2(Value x) const;

private:
  mlir::Type element;
};

} // namespace accel

#endif
