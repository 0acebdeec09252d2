// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of the module under construction do not depend on inputs or
// parameters, and what they are. Exporters compute shapes and masks in the
// graph; result types depend on them, so they are evaluated while nodes are
// converted.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_KNOWNVALUES_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_KNOWNVALUES_H

#include "dialects/Accel/Interpreter/HostTensor.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace accel::onnx {

/// The most elements that a known value is computed with: a mask of 8192 x
/// 8192. A small file could ask for any number.
inline constexpr int64_t kMaxKnownElements = int64_t(1) << 26;

/// Follows an OpBuilder. An operation of the dialect is *known* if it is pure
/// and all its operands are; it is evaluated (on the interpreter, rounded to
/// its element type) only when somebody asks.
///
/// Cost: every small known operation is evaluated at most once; those that
/// nobody asks for, never.
class KnownValues : public mlir::OpBuilder::Listener {
public:
  bool isKnown(mlir::Value value) const { return known.contains(value); }

  /// The value, or null if it is not known or its evaluation failed with an
  /// error.
  HostTensor evaluate(mlir::Value value);

  /// The value as integers, if it is known and of an integer or boolean type.
  std::optional<llvm::SmallVector<int64_t>> evaluateIntegers(mlir::Value value);

  /// Replaces the known values that are needed by `accel.constant`s and erases
  /// the operations that made them. Constants, index tensors and broadcasts
  /// stay as they are: none of them grows with what it is broadcast to. So does
  /// what isCheaperComputed.
  mlir::LogicalResult materialize(mlir::Block &block);

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

private:
  void evaluateOperation(mlir::Operation *op);
  mlir::LogicalResult checkSize(mlir::Operation *op);
  mlir::LogicalResult materialize(mlir::Operation *op);
  void store(mlir::Value value, HostTensor tensor);
  void release(mlir::Value value);
  void releaseIfUsedUp(mlir::Value value);

  llvm::DenseSet<mlir::Value> known;
  llvm::DenseMap<mlir::Value, HostTensor> values;
  int64_t liveElements = 0; ///< in `values`
};

} // namespace accel::onnx

#endif
