// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites products of a microbatch to read floats of 8 bits.
#ifndef ACCEL_PASSES_PRECISION_FP8PRODUCTS_H
#define ACCEL_PASSES_PRECISION_FP8PRODUCTS_H

#include "passes/Precision/Fp8Operands.h"
#include "passes/Precision/Fp8Sites.h"

namespace accel {

class Fp8Products {
public:
  /// Decides for each product of `sites` what its operands become. Requires:
  /// the microbatch is as the sites have found it. Borrows: how operands become
  /// that.
  Fp8Products(mlir::func::FuncOp microbatch, const Fp8Sites &sites,
              Fp8Types types, Fp8Operands &operands);

  /// Lets the step read the parameters of its products in 8 bits, and declares
  /// their scales. Nothing else reads them.
  void readParameters();
  /// Lets all its products multiply operands of 8 bits. Requires: what kernels
  /// store for each other is rounded.
  void lower();

  bool contains(mlir::Operation *site) const { return products.contains(site); }

private:
  /// What the operands of a product become.
  struct Factors {
    mlir::Type lhs, rhs;
  };

  llvm::MapVector<mlir::StringAttr, int64_t> declareScales();

  mlir::func::FuncOp microbatch;
  Fp8Types types;
  Fp8Operands &operands;
  llvm::MapVector<mlir::Operation *, Factors> products; ///< in program order
};

} // namespace accel

#endif
