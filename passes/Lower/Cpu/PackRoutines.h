// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that pack parts of matrices for all products of a module, of
// sizes and strides known at run time.
#ifndef ACCEL_PASSES_LOWER_CPU_PACKROUTINES_H
#define ACCEL_PASSES_LOWER_CPU_PACKROUTINES_H

#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Cpu/TileCode.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Calls of the routines for operands of one format, at the insertion point of
/// a builder. What is not there yet is added to the module. Counts and strides
/// are indices, those of the source in elements.
class PackRoutines {
public:
  using Value = mlir::Value;

  PackRoutines(mlir::ModuleOp module, const ProductBlock &block,
               const PackedFormat &format)
      : module(module), block(block), format(format) {}

  /// A part of an operand. Its scales, if it has any, are those from the block
  /// on in which it begins, behind `ahead` others of the summed index.
  struct Part {
    ProductMatrix numbers, scales;
    Value ahead;
    /// Of a view of windows: where the part begins.
    Value firstRow = {}, firstColumn = {};
  };

  /// Packs `rows` rows of `depth` elements.
  void packLhs(const TileCode &t, const Part &from, const PackedMatrix &to,
               Value rows, Value depth) const;
  /// Packs `columns` columns of `depth` elements.
  void packRhs(const TileCode &t, const Part &from, const PackedMatrix &to,
               Value panelStride, Value columns, Value depth) const;

private:
  using Values = TileCode::Values;
  /// The arguments of the routines.
  struct Source;
  struct Lhs;
  struct Rhs;

  template <typename Arguments>
  void call(const TileCode &t, llvm::StringRef name, const Arguments &arguments,
            llvm::function_ref<void(const TileCode &, const Arguments &)> write)
      const;
  Source getSource(const TileCode &t, const Part &from) const;
  Value placeOf(const TileCode &t, const Source &source, Value row,
                Value column) const;
  OperandUnits unitsOf(const TileCode &t, const Source &source) const;
  Value placeOfScale(const TileCode &t, const Source &source, Value row,
                     Value k) const;
  Value placeOfScales(const TileCode &t, const Source &source, Value k) const;
  void packTransposed(const TileCode &t, const Source &source,
                      const PackedMatrix &to, Value first, Value last,
                      int64_t wanted, Value depth, int64_t step) const;
  void eachUnit(const TileCode &t, Value depth,
                llvm::function_ref<void(Value k, Value second)> body) const;
  void writeLhsRows(const TileCode &t, const Lhs &a) const;
  void writeLhsColumns(const TileCode &t, const Lhs &a) const;
  void writeLhsColumn(const TileCode &t, const Lhs &a, Value k, Value second,
                      bool reachesOn) const;
  void writeRhsRows(const TileCode &t, const Rhs &a) const;
  void writeRhsColumns(const TileCode &t, const Rhs &a) const;

  mlir::ModuleOp module;
  ProductBlock block;
  PackedFormat format;
};

} // namespace accel

#endif
