// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a microbatch are stored low.
#ifndef ACCEL_PASSES_PRECISION_STOREDVALUES_H
#define ACCEL_PASSES_PRECISION_STOREDVALUES_H

#include "passes/Precision/PrecisionSites.h"

#include "llvm/ADT/DenseSet.h"

namespace accel {

/// Finds the values of a microbatch that are rounded because kernels store them
/// for each other; InsertPrecisionCasts has the rules. Borrows: the sites.
class StoredValues {
public:
  /// `keepsResidual`: sums of two activations stay as they are. `storedSums`:
  /// what the target stores of products before anything is computed of it.
  StoredValues(mlir::func::FuncOp microbatch, const PrecisionSites &sites,
               bool keepsResidual, llvm::ArrayRef<mlir::Value> storedSums);

  /// In program order. None of them is the result of a view.
  llvm::ArrayRef<mlir::Value> getRounded() const { return rounded; }

private:
  /// Where element-wise operations that lead to a value began.
  enum class Chain { None, Excluded, Table, Product };

  bool isActivation(mlir::Value value) const {
    return activations.contains(value);
  }
  void findActivations(mlir::Operation &op);
  bool isExcluded(mlir::Operation *op) const;
  bool continuesChain(mlir::Operation *op) const;
  bool isKept(mlir::Value value,
              mlir::ArrayRef<mlir::Operation *> readers) const;
  bool isResidual(mlir::Value value) const;
  Chain getChain(mlir::Operation &op) const;
  bool mustRound(mlir::Value value, Chain chain) const;
  bool endsChain(mlir::Value value, Chain chain,
                 mlir::ArrayRef<mlir::Operation *> readers) const;

  const PrecisionSites &sites;
  bool keepsResidual;
  llvm::DenseSet<mlir::Value> storedSums;
  llvm::DenseSet<mlir::Operation *> forward; ///< what losses are computed of
  llvm::DenseSet<mlir::Operation *> inModel; ///< what its sites are computed of
  llvm::DenseSet<mlir::Value> activations;
  llvm::DenseMap<mlir::Value, Chain> chains; ///< of what is not rounded
  llvm::SmallVector<mlir::Value> rounded;
};

} // namespace accel

#endif
