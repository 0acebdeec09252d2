// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands in 8 bits with a scale for each block of the summed index.
#ifndef ACCEL_PASSES_PRECISION_SCALEDBLOCKS_H
#define ACCEL_PASSES_PRECISION_SCALEDBLOCKS_H

#include "passes/Precision/Fp8Operands.h"

#include "llvm/ADT/DenseMap.h"

#include <tuple>

namespace accel {

/// What the rows of a parameter that is cut into squares are a multiple of: a
/// part of a row that lies in one square has at least so many elements.
inline constexpr int64_t kFp8RowMultiple = 16;

/// Why `value`, an operand of a product, is no parameter that is read in
/// squares of `block` rows and columns; empty if it is, or is no parameter.
std::string findCutBlocks(mlir::Value value, int64_t block);

/// Cuts what microbatches compute into blocks of neighbours of a product's
/// summed index: what two products sum along different dimensions becomes 8
/// bits twice, each time from the same numbers. A parameter is cut once, into
/// squares, which serve both.
class ScaledBlocks final : public Fp8Operands {
public:
  explicit ScaledBlocks(int64_t block) : block(block) {}

  int64_t countScales(mlir::RankedTensorType type) const override;
  void setParameter(ArithmeticBuilder &b, ReadOp read,
                    const Fp8Parameter &parameter) override;
  Value multiply(ArithmeticBuilder &b, MatmulOp product, mlir::Type lhs,
                 mlir::Type rhs) override;
  void finish(mlir::func::FuncOp) override {}

private:
  /// Numbers and the scales of their blocks, in their order.
  struct Operand {
    Value numbers, scales;
    bool isSummedLast; ///< the summed index is the last dimension
  };
  /// A parameter, and the inverse of the scale of each of its numbers.
  struct Repeated {
    Value numbers, inverses;
  };

  Operand get(Value value, mlir::Type element, bool isSummedLast);
  Operand cut(Value value, mlir::Type element, bool isSummedLast) const;
  Operand view(Value value, ReadOp read, bool isSummedLast) const;

  int64_t block;
  llvm::DenseMap<Value, Repeated> parameters; ///< by what was read of them
  /// By what they are of, their type, and whether the summed index is last.
  llvm::DenseMap<std::tuple<Value, mlir::Type, unsigned>, Operand> known;
};

} // namespace accel

#endif
