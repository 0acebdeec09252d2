// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operand of a product that is no matrix in memory but a view of windows:
// how its rows and columns are found in the tensor over which windows move.
#ifndef ACCEL_PASSES_ANALYSIS_WINDOWMATRIX_H
#define ACCEL_PASSES_ANALYSIS_WINDOWMATRIX_H

#include "passes/Analysis/TensorAccess.h"

namespace accel {

/// Of what products read windows where they lie: f32, bf16 and f16.
bool mayBeWindows(mlir::Type element);

/// A matrix (or several, one behind the other) as a view of a root, whose
/// element (m, r, c) is element
/// `offset + place of m + place of r + place of c` of the root: an index counts
/// the dimensions of its view in row-major order, and its place is the sum of
/// their indices times their strides.
struct WindowMatrix {
  AffineView matrices, rows, columns; ///< without offsets
  int64_t offset = 0;

  /// Neighbours in a row that are neighbours in the root.
  int64_t getRun() const { return columns.sizes.back(); }
  /// Whether a product packs the matrix from where its windows lie, in vectors
  /// of neighbours; otherwise it copies parts of it first. `isLeft`: it is the
  /// left one; `isTransposed`: the product transposes it; `isPaired`: it reads
  /// neighbours of the summed index in pairs.
  bool isPackedInPlace(bool isLeft, bool isTransposed, bool isPaired) const {
    bool isSummedAlong = isLeft != isTransposed;
    int64_t widest = isPaired && isSummedAlong ? 32 : 16;
    return getRun() % widest == 0 && !(isLeft && isTransposed);
  }

  /// `operand`, whose last two dimensions are the matrix, as such a view of
  /// `root`. Nothing where no affine view describes it, where neighbours in a
  /// row are no neighbours in the root, or of other elements than
  /// `mayBeWindows` names.
  static std::optional<WindowMatrix> find(mlir::Value operand,
                                          mlir::Value root);
  /// The same of an argument of a kernel, if the operand does not lie there in
  /// one piece.
  static std::optional<WindowMatrix> findInKernel(mlir::Value operand);
};

} // namespace accel

#endif
