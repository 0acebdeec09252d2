// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites products of a microbatch to read floats of 8 bits.
#ifndef ACCEL_PASSES_PRECISION_FP8PRODUCTS_H
#define ACCEL_PASSES_PRECISION_FP8PRODUCTS_H

#include "passes/Precision/Fp8Sites.h"
#include "passes/Precision/ScaledValues.h"

namespace accel {

/// What operands of products become: gradients, and everything else.
struct Fp8Types {
  mlir::Type forward, gradient;
};

class Fp8Products {
public:
  /// Decides for each product of `sites` what its operands become. Requires:
  /// the microbatch is as the sites have found it. Borrows: the scales of what
  /// the microbatch computes.
  Fp8Products(mlir::func::FuncOp microbatch, const Fp8Sites &sites,
              Fp8Types types, TensorScales &scales);

  /// Lets the step read the parameters of its products in 8 bits, and declares
  /// their scales. Nothing else reads them.
  void readParameters();
  /// Casts the operands of all its products and multiplies their sums by what
  /// undoes the scales. Requires: what kernels store for each other is rounded.
  void lower();

  bool contains(mlir::Operation *site) const { return products.contains(site); }

private:
  /// What the operands of a product become.
  struct Operands {
    mlir::Type lhs, rhs;
  };

  void narrow(ReadOp read, mlir::Value inverse);
  void lower(MatmulOp product, const Operands &operands);

  mlir::func::FuncOp microbatch;
  Fp8Types types;
  TensorScales &scales;
  llvm::MapVector<mlir::Operation *, Operands> products; ///< in program order
  ScaledValues values;
};

} // namespace accel

#endif
