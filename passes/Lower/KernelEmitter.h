// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all kinds of kernels share while their code is written: buffers, index
// arithmetic, loops, and the value of a tensor at one index.
#ifndef ACCEL_PASSES_LOWER_KERNELEMITTER_H
#define ACCEL_PASSES_LOWER_KERNELEMITTER_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"

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

/// What a value is added to: `there`, or zero if that is not kept.
mlir::Value emitIfKept(mlir::OpBuilder &builder, mlir::Location loc,
                       const Storing &storing, mlir::Value there);

/// Writes the code of one kernel.
///
/// Positions in tensors are linear (row-major) and symbolic: affine expressions
/// over dimensions that stand for run-time indices, so that the views of a
/// chain simplify before any arithmetic is emitted. They are never negative,
/// hence the arithmetic is unsigned.
///
/// A null Value means that an error has been reported.
class KernelEmitter {
public:
  /// Adds the function `<kernel>.code` behind `kernel` and starts at its
  /// beginning.
  KernelEmitter(mlir::func::FuncOp kernel, const IterationDomain &domain,
                plan::CodeAttr geometry);

  /// Ends the function.
  void finish();

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::func::FuncOp getKernel() const { return kernel; }
  mlir::func::FuncOp getCode() const { return code; }
  const IterationDomain &getDomain() const { return domain; }
  /// How the domain is cut in the variant that the code is for.
  plan::CodeAttr getGeometry() const { return geometry; }
  mlir::Value getBegin() const { return begin; }
  mlir::Value getEnd() const { return end; }

  /// The tensors that the kernel returns, the buffers they go to, and how they
  /// meet what is there.
  mlir::ValueRange getResults();
  mlir::Value getResultBuffer(unsigned result);
  Storing getStoring(unsigned result);
  /// The thread's own memory, as floats. Requires: the geometry has some.
  mlir::Value getWorkspace();
  /// The buffer of an argument of the kernel.
  mlir::Value getBuffer(mlir::BlockArgument argument);

  /// The buffer that `operand` of `op` is a contiguous part of, from element
  /// `offset` on. Null after an error: it does not lie in memory.
  mlir::Value getContiguous(mlir::Operation *op, mlir::Value operand,
                            int64_t &offset);

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

  // Memory. Booleans are bytes there.
  mlir::Type storageType(mlir::Type element) const;
  /// A buffer of the call, declared at the function's entry.
  mlir::Value allocate(mlir::Type element, llvm::ArrayRef<int64_t> shape);
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

  mlir::func::FuncOp kernel;
  mlir::func::FuncOp code;
  IterationDomain domain;
  plan::CodeAttr geometry;
  mlir::Location loc;
  mlir::OpBuilder builder;
  mlir::Value begin, end;
  llvm::SmallVector<mlir::Value> dimensions;
  Scope scope;
  bool failed = false;
};

} // namespace accel

#endif
