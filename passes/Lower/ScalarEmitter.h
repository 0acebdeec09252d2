// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code of a kernel computes at one index, for any target: positions in
// tensors, loads and stores, and the value of a tensor as scalar arithmetic.
#ifndef ACCEL_PASSES_LOWER_SCALAREMITTER_H
#define ACCEL_PASSES_LOWER_SCALAREMITTER_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// How a value meets what is in a buffer: takes its place, or is added to it;
/// with `kept`, an i1, it is added only if that is true.
struct Storing {
  bool adds = false;
  mlir::Value kept;
};

/// Whether it takes the place, an i1 that may be known.
mlir::Value emitIsReplaced(const IndexArithmetic &indices,
                           const Storing &storing);

/// What a value is added to: `there`, or zero if that is not kept.
mlir::Value emitIfKept(mlir::OpBuilder &builder, mlir::Location loc,
                       const Storing &storing, mlir::Value there);

/// Writes scalar arithmetic of one kernel. What a target's code looks like, and
/// which buffer an argument is, its own emitter says, which derives from this.
///
/// Positions in tensors are linear (row-major) and symbolic: affine expressions
/// over dimensions that stand for run-time indices, so that the views of a
/// chain simplify before any arithmetic is emitted. They are never negative,
/// hence the arithmetic is unsigned.
///
/// A null Value means that an error has been reported.
class ScalarEmitter {
public:
  explicit ScalarEmitter(mlir::func::FuncOp kernel)
      : kernel(kernel), loc(kernel.getLoc()), builder(kernel.getContext()) {}
  virtual ~ScalarEmitter();

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::func::FuncOp getKernel() const { return kernel; }

  /// The buffer of an argument of the kernel.
  virtual mlir::Value getBuffer(mlir::BlockArgument argument) = 0;
  /// For how many vector lanes a routine that elements call must exist besides
  /// its form for one element.
  virtual llvm::ArrayRef<int64_t> getRoutineLanes() const { return {}; }

  // Index arithmetic.
  mlir::AffineExpr number(int64_t value) const;
  /// The dimension that stands for the run-time index `value`.
  mlir::AffineExpr dimension(mlir::Value value);
  mlir::Value materialize(mlir::AffineExpr expr);
  mlir::Value index(int64_t value) { return materialize(number(value)); }
  /// Where element `position` of a view lies in the view's source.
  mlir::AffineExpr through(const AffineView &view,
                           mlir::AffineExpr position) const;
  /// The same for all views between `value` and `root`.
  mlir::AffineExpr through(mlir::Value value, mlir::Value root,
                           mlir::AffineExpr position) const;
  /// Coordinate `dimension` of the element at `position` of a tensor of `type`.
  mlir::AffineExpr coordinate(mlir::RankedTensorType type, int64_t dimension,
                              mlir::AffineExpr position) const;

  /// A loop; `body` gets the index. What is computed in it is forgotten
  /// afterwards.
  void forEach(mlir::Value first, mlir::Value last, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);
  /// Code that runs if `condition` holds; what is computed in it is forgotten
  /// afterwards.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  // Memory. Booleans are bytes there, and floats of 16 and 8 bits integers.
  static mlir::Type storageType(mlir::Type element);
  mlir::Value load(mlir::Value buffer, mlir::AffineExpr position,
                   mlir::Type element);
  void store(mlir::Value scalar, mlir::Value buffer, mlir::AffineExpr position,
             const Storing &storing);

  /// The element of `tensor` at `position`, a scalar computed in front of the
  /// insertion point. Row reductions must have been set.
  mlir::Value scalarAt(mlir::Value tensor, mlir::AffineExpr position);
  /// Makes `scalar` the element of the row reduction `tensor` at `position`.
  void setScalar(mlir::Value tensor, mlir::AffineExpr position,
                 mlir::Value scalar);
  /// Where row `position` that a gather asks for begins in its table, plus the
  /// place within the row.
  mlir::AffineExpr gathered(GatherOp op, mlir::AffineExpr position);

  /// Reports that `op` has no code here and why.
  mlir::InFlightDiagnostic emitError(mlir::Operation *op);
  /// Whether an error has been reported.
  bool hasFailed() const { return failed; }

protected:
  mlir::func::FuncOp kernel;
  mlir::Location loc;
  mlir::OpBuilder builder;

private:
  struct Scope {
    llvm::DenseMap<mlir::AffineExpr, mlir::Value> indices;
    llvm::DenseMap<std::pair<mlir::Value, mlir::AffineExpr>, mlir::Value>
        scalars;
    llvm::DenseMap<mlir::Value, mlir::Value>
        rows; ///< an integer element as an index
  };

  mlir::Value computeScalar(mlir::Value tensor, mlir::AffineExpr position);
  mlir::Value computeScalarOp(mlir::Operation *op, mlir::AffineExpr position);
  mlir::Value computeIndex(mlir::AffineExpr expr);

  llvm::SmallVector<mlir::Value> dimensions;
  Scope scope;
  bool failed = false;
};

} // namespace accel

#endif
