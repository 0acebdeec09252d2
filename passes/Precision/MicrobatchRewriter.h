// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a microbatch to what was decided for its sites.
#ifndef ACCEL_PASSES_PRECISION_MICROBATCHREWRITER_H
#define ACCEL_PASSES_PRECISION_MICROBATCHREWRITER_H

#include "passes/Precision/Fp8Products.h"
#include "passes/Precision/LowValues.h"

namespace accel {

/// Makes the operands of low sites, and their results, low. Borrows: the sites
/// and the products of 8 bits.
class MicrobatchRewriter {
public:
  /// `fp8`: null if no product reads floats of 8 bits.
  MicrobatchRewriter(mlir::func::FuncOp microbatch, const PrecisionSites &sites,
                     mlir::Type low, Fp8Products *fp8)
      : microbatch(microbatch), sites(sites), values(low), fp8(fp8) {}

  /// Rounds the values `rounded` too, which kernels store for each other, and
  /// the vectors that `biases` repeat, which libraries read. Libraries compute
  /// `activations`: GELU of sums before they are rounded, and its gradient at
  /// what was stored of them.
  void rewrite(llvm::ArrayRef<mlir::Value> rounded,
               llvm::ArrayRef<mlir::OpOperand *> biases,
               llvm::ArrayRef<mlir::Operation *> activations);

private:
  bool isFp8(mlir::Operation *site) const { return fp8 && fp8->contains(site); }
  void readParameters(llvm::ArrayRef<mlir::OpOperand *> biases);
  void lower(mlir::Operation *site);
  void lowerBias(mlir::OpOperand &bias);
  void lowerResult(mlir::OpResult result);
  void roundStored(llvm::ArrayRef<mlir::Value> rounded,
                   llvm::ArrayRef<mlir::Operation *> activations);

  mlir::func::FuncOp microbatch;
  const PrecisionSites &sites;
  LowValues values;
  Fp8Products *fp8;
};

} // namespace accel

#endif
