// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products of a microbatch read floats of 8 bits.
#ifndef ACCEL_PASSES_PRECISION_FP8SITES_H
#define ACCEL_PASSES_PRECISION_FP8SITES_H

#include "passes/Precision/PrecisionSites.h"

#include "llvm/ADT/MapVector.h"

namespace accel {

/// Decides it for a product and its gradients at once: they share their place
/// in the model. Borrows: the sites.
class Fp8Sites {
public:
  /// `sites`: with the rules of the user applied. `block`: of the recipe, 0 if
  /// it has none.
  Fp8Sites(const PrecisionSites &sites, int64_t block);

  bool contains(mlir::Operation *site) const { return !reasons.contains(site); }
  /// Why `site` does not read floats of 8 bits.
  llvm::StringRef getReason(mlir::Operation *site) const {
    return reasons.find(site)->second;
  }
  /// Whether `operand` of a product is a gradient: the forward program's sites
  /// are not computed of it.
  bool isGradient(mlir::Value operand) const;

private:
  void findModel();
  std::string findReason(mlir::Operation *site) const;
  std::string findReason(MatmulOp product) const;
  void leaveSharedWeights(mlir::func::FuncOp microbatch);
  /// The products at the place of `site`.
  llvm::ArrayRef<mlir::Operation *> getGroup(mlir::Operation *site) const {
    return groups.find(site->getLoc())->second;
  }

  const PrecisionSites &sites;
  int64_t block;
  /// What the forward program's sites are computed of.
  llvm::DenseSet<mlir::Operation *> inModel;
  /// Products by their place in the model.
  llvm::MapVector<mlir::Location, llvm::SmallVector<mlir::Operation *>> groups;
  llvm::DenseMap<mlir::Operation *, std::string> reasons;
};

} // namespace accel

#endif
