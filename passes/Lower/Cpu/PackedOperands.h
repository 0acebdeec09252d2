// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a product's operands that a thread multiplies.
#ifndef ACCEL_PASSES_LOWER_CPU_PACKEDOPERANDS_H
#define ACCEL_PASSES_LOWER_CPU_PACKEDOPERANDS_H

#include "passes/Lower/Cpu/MultiplyRoutine.h"
#include "passes/Lower/Cpu/PackRoutines.h"
#include "passes/Lower/Loops/KernelEmitter.h"
#include "passes/Target/Cpu/ProductTiles.h"

namespace accel {

/// Packs parts of both matrices into the thread's workspace, unless they are
/// read where they lie, and multiplies them. How packed numbers lie there, and
/// what they are, nobody else knows.
class PackedOperands {
public:
  using Value = mlir::Value;

  /// What both formats pack is the same.
  PackedOperands(KernelEmitter &emitter, const ProductTiles &tiles,
                 const PackedFormat &lhs, const PackedFormat &rhs);

  /// `columns` of the right matrix, the summed index of `block`.
  MultipliedOperand getRhs(const ProductOperand &rhs,
                           const ProductRange &columns,
                           const DepthBlock &block) const;
  /// `rows` of the left matrix in the same way.
  MultipliedOperand getLhs(const ProductOperand &lhs, const ProductRange &rows,
                           const DepthBlock &block) const;
  /// Multiplies `rows` rows by `columns` columns. The sums, which are f32, are
  /// stored in `sums` or, if `adds`, an i1, added to what is there.
  void multiply(const MultipliedOperand &lhs, const MultipliedOperand &rhs,
                Value rows, Value columns, const DepthBlock &block,
                const ProductMatrix &sums, Value adds) const;

private:
  void packRhs(const ProductOperand &rhs, const ProductRange &columns,
               const DepthBlock &block) const;
  void packLhs(const ProductOperand &lhs, const ProductRange &rows,
               const DepthBlock &block) const;
  ProductMatrix copyPart(const ProductMatrix &windows, ProductRange rows,
                         ProductRange columns, bool isSummedByRow) const;
  PackRoutines::Part getPart(const ProductOperand &operand, Value row,
                             Value column, bool isSummedByRow) const;
  Value panelStride() const {
    return t.index(tiles.panelStride(registers.columns));
  }
  Value lhsAt() const { return t.index(tiles.lhsOffset()); }

  TileCode t;
  ProductTiles tiles;
  PackedFormat format;
  Value workspace;
  ProductBlock registers;
  PackRoutines lhsPacking, rhsPacking;
  MultiplyRoutine multiplication;
};

} // namespace accel

#endif
