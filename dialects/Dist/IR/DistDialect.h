// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `dist` dialect: what the ranks of a run do together.
#ifndef ACCEL_DIALECTS_DIST_IR_DISTDIALECT_H
#define ACCEL_DIALECTS_DIST_IR_DISTDIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "dialects/Dist/IR/DistDialect.h.inc"
#include "dialects/Dist/IR/DistEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/IR/DistAttrs.h.inc"

namespace accel::dist {

/// The axes of the mesh, outermost first.
llvm::ArrayRef<llvm::StringLiteral> getMeshAxes();

/// The axes along which ranks hold different samples: their ranks are counted
/// when a plan is loaded.
llvm::ArrayRef<llvm::StringLiteral> getDataAxes();

/// The axes along which states are cut.
llvm::ArrayRef<llvm::StringLiteral> getShardAxes();

inline constexpr llvm::StringLiteral kHeldAttr = "dist.held";

/// The attribute of a function that is for some ranks only: a dictionary with
/// their coordinates along axes of the mesh.
inline constexpr llvm::StringLiteral kCoordinatesAttr = "dist.coordinates";

/// The attribute of a module that says how many ranks lie along each axis of
/// the mesh: a dictionary with a number for each axis, 0 for as many as a run
/// has. Axes are in the order of getMeshAxes.
inline constexpr llvm::StringLiteral kMeshAttr = "dist.mesh";

Holding getHolding(mlir::Operation *state);
void setHolding(mlir::Operation *state, Holding holding);

/// Whether `axes` are axes of the mesh, each once, and at least one; otherwise
/// an error of `op`.
llvm::LogicalResult verifyAxes(mlir::Operation *op, mlir::ArrayAttr axes);

} // namespace accel::dist

#endif
