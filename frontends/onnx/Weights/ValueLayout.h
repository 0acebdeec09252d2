// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a known tensor lie in another one: in the same order, in
// that of a permutation of dimensions, or as rows or columns of a matrix that
// were chosen by index. Found by comparing bits.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_VALUELAYOUT_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_VALUELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace accel::onnx {

/// Numbers as bits, row by row. Borrows both.
struct TensorView {
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<uint32_t> bits;
};

/// The permutation of the dimensions of `from` behind which its elements lie
/// as in `to`, whatever shape that has; the identity wins where dimensions of
/// size 1 leave a choice. Without `permutes` only the identity is tried. Errors
/// say what differs, or that permutations give the same bits which would not
/// give the same gradients.
llvm::Expected<std::vector<int64_t>>
findOrder(const TensorView &from, const TensorView &to, bool permutes);

/// `to` is made of rows of a matrix, or of columns if `axis` is 1: the one of
/// each index, row by row of `shape`, lies along a dimension of its own, which
/// is number `position` of `to` without dimensions of size 1.
struct RowChoice {
  int64_t axis = 0;
  std::vector<int64_t> shape, indices;
  size_t position = 0;
};

/// The choice that gives `to`. Every row that is read must be there once, or
/// one of `known`, lists of indices with their shapes forgotten, must give
/// `to`: otherwise gradients could go to a row that the model does not read.
/// A vector is a matrix of one column. Errors say why there is no such choice,
/// or no certain one.
llvm::Expected<RowChoice> findRows(const TensorView &table,
                                   const TensorView &to,
                                   llvm::ArrayRef<std::vector<int64_t>> known);

} // namespace accel::onnx

#endif
