// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of a microbatch whose operands may be low, and which of them
// are.
#ifndef ACCEL_PASSES_PRECISION_PRECISIONSITES_H
#define ACCEL_PASSES_PRECISION_PRECISIONSITES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace accel {

/// On the module: the type that low sites read.
inline constexpr llvm::StringLiteral kPrecisionAttr = "accel.precision";
/// On a site that is not low: why it is not.
inline constexpr llvm::StringLiteral kPrecisionReasonAttr =
    "accel.precision_reason";

/// Whether `op` is a product, an attention or its gradient, or an embedding, of
/// f32: what low operands are meant for.
bool isPrecisionSite(mlir::Operation *op);

/// The operands of a site that are low if the site is: numbers that it
/// multiplies or looks up, neither masks nor statistics.
llvm::SmallVector<mlir::OpOperand *> getLowOperands(mlir::Operation *site);

/// Whether `op` is a view whose result is stored where its operand is: a
/// reshape, transpose, slice or part, no broadcast.
bool isStoredView(mlir::Operation *op);

/// The value that `value` is such a view of.
mlir::Value getStoredValue(mlir::Value value);

/// The view `view` of `source` instead of its operand, with the elements of
/// `source`, behind `view`.
mlir::Operation *cloneView(mlir::Operation *view, mlir::Value source);

/// Adds who reads `value`, through such views, to `readers`.
void collectReaders(mlir::Value value,
                    llvm::SetVector<mlir::Operation *> &readers);

/// Adds everything that `open` is computed of to `producers`.
void collectProducers(llvm::SmallVector<mlir::Operation *> open,
                      llvm::DenseSet<mlir::Operation *> &producers);

/// The parameter that `value` is read from, through views; null if it is
/// computed.
ReadOp getParameterRead(mlir::Value value);

/// Decides which sites are low.
class PrecisionSites {
public:
  /// Reads the sites of `microbatch`. Borrows: the function.
  explicit PrecisionSites(mlir::func::FuncOp microbatch);

  /// Applies rules `exclude=REGEX` and `include=REGEX` in their order. Fails
  /// after an error for each that cannot be read or matches nothing.
  mlir::LogicalResult apply(llvm::ArrayRef<std::string> rules);

  /// All sites, in program order.
  llvm::ArrayRef<mlir::Operation *> getSites() const { return sites; }
  bool isLow(mlir::Operation *site) const { return !reasons.contains(site); }
  /// Why `site` is not low.
  llvm::StringRef getReason(mlir::Operation *site) const {
    return reasons.find(site)->second;
  }

private:
  /// What a rule may match: parameters that the site reads, and its node.
  llvm::SmallVector<llvm::StringRef> getNames(mlir::Operation *site) const;

  mlir::func::FuncOp microbatch;
  llvm::SmallVector<mlir::Operation *> sites;
  llvm::DenseMap<mlir::Operation *, std::string> reasons; ///< of excluded sites
};

} // namespace accel

#endif
