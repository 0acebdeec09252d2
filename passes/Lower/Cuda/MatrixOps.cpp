// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of two elements, and the instruction that multiplies them.
#include "passes/Lower/Cuda/MatrixOps.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace accel;

Value MatrixOps::group() const {
  return IndexArithmetic(builder, loc).div(threadIndex(), 4);
}

Value MatrixOps::member() const {
  return IndexArithmetic(builder, loc).rem(threadIndex(), 4);
}

MatrixOps::Sums MatrixOps::multiply(const Left &a, const Right &b,
                                    const Sums &sums) const {
  using NVVM::MMALayout, NVVM::MMATypes;
  // bf16 are passed as words, f16 as pairs.
  auto asOperand = [&](Value word) -> Value {
    return element.isBF16()
               ? word
               : LLVM::BitcastOp::create(builder, loc,
                                         VectorType::get(2, element), word);
  };
  MMATypes type = element.isBF16() ? MMATypes::bf16 : MMATypes::f16;
  Type f32 = builder.getF32Type();
  Value product = NVVM::MmaOp::create(
      builder, loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                       {f32, f32, f32, f32}),
      llvm::map_to_vector(a, asOperand), llvm::map_to_vector(b, asOperand),
      ValueRange(sums), ArrayRef<int64_t>{kRows, kColumns, kDepth},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array<MMATypes, 2>{type, type},
      std::array<MMALayout, 2>{MMALayout::row, MMALayout::col});
  Sums result;
  for (auto [i, sum] : llvm::enumerate(result)) {
    sum = LLVM::ExtractValueOp::create(builder, loc, product, i);
  }
  return result;
}

Value MatrixOps::pack(Value low, Value high) const {
  Value both = vector::FromElementsOp::create(
      builder, loc, VectorType::get(2, builder.getF32Type()),
      ValueRange{low, high});
  Value rounded =
      arith::TruncFOp::create(builder, loc, VectorType::get(2, element), both);
  return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), rounded);
}

Value MatrixOps::pairLow(Value low, Value high) const {
  Arithmetic words(builder, loc, builder.getI32Type());
  return words.orBits(words.andBits(low, words.integer(0xffff)),
                      words.shiftLeft(high, 16));
}

Value MatrixOps::pairHigh(Value low, Value high) const {
  Arithmetic words(builder, loc, builder.getI32Type());
  return words.orBits(words.shiftRightLogical(low, 16),
                      words.andBits(high, words.integer(-0x10000)));
}

std::array<MatrixOps::Right, 2>
MatrixOps::pairColumns(const std::array<Value, 4> &rows) const {
  return {Right{pairLow(rows[0], rows[1]), pairLow(rows[2], rows[3])},
          Right{pairHigh(rows[0], rows[1]), pairHigh(rows[2], rows[3])}};
}

Value MatrixOps::exp2(Value x) const {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, builder.getF32Type(),
             builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), ValueRange{x})
      .getResult(0);
}
