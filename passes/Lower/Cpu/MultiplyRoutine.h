// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that multiplies packed matrices for all products of a module, of
// sizes and strides known at run time.
#ifndef ACCEL_PASSES_LOWER_CPU_MULTIPLYROUTINE_H
#define ACCEL_PASSES_LOWER_CPU_MULTIPLYROUTINE_H

#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Cpu/TileCode.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Packed rows and panels, two parts of one buffer, and their sizes; the depth
/// is that of what is packed.
struct PackedProduct {
  mlir::Value packed, lhsAt, rhsAt;
  mlir::Value panelStride, rows, columns, depth;
};

/// Calls of the routine at the insertion point of a builder. If it is not there
/// yet, it is added to the module.
class MultiplyRoutine {
public:
  using Value = mlir::Value;

  MultiplyRoutine(mlir::ModuleOp module, const ProductBlock &block,
                  const PackedFormat &format)
      : module(module), block(block), format(format) {}

  /// Multiplies packed rows by all panels, one register block after the other,
  /// into `result`; they are added to what is there if `adds`, an i1. All rows
  /// meet a panel before the next one: it comes from the second cache once.
  void multiply(const TileCode &t, const PackedProduct &product,
                const ProductMatrix &result, Value adds) const;

private:
  struct Arguments;
  void write(const TileCode &t, const Arguments &a) const;

  mlir::ModuleOp module;
  ProductBlock block;
  PackedFormat format;
};

} // namespace accel

#endif
