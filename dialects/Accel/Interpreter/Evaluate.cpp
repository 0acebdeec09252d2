// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of a single operation: what holds for all of them, and the way to
// their families.
#include "dialects/Accel/Interpreter/Evaluate.h"

#include "dialects/Accel/Interpreter/OpFamilies.h"

using namespace mlir;

namespace accel {
namespace {

LogicalResult checkOperands(Operation *op, ArrayRef<HostTensor> operands) {
  if (operands.size() != op->getNumOperands()) {
    return op->emitOpError()
           << "cannot be evaluated: expected " << op->getNumOperands()
           << " operands, got " << operands.size();
  }
  for (auto [index, operand] : llvm::enumerate(operands)) {
    Type expected = op->getOperand(index).getType();
    if (!operand) {
      return op->emitOpError()
             << "cannot be evaluated: operand #" << index << " has no value";
    }
    if (operand.getType() != expected) {
      return op->emitOpError()
             << "cannot be evaluated: expected operand #" << index
             << " of type " << expected << ", got " << operand.getType();
    }
  }
  return success();
}

LogicalResult checkResults(Operation *op, int64_t maxElements) {
  for (auto [index, resultType] : llvm::enumerate(op->getResultTypes())) {
    auto type = dyn_cast<RankedTensorType>(resultType);
    if (!type || !type.hasStaticShape()) {
      return op->emitOpError()
             << "cannot be evaluated: expected result #" << index
             << " with a static shape, got " << resultType;
    }
    if (!fitsHost(type, maxElements)) {
      return op->emitOpError()
             << "cannot be evaluated: expected at most " << maxElements
             << " elements in result #" << index << ", got " << type;
    }
  }
  return success();
}

} // namespace

FailureOr<llvm::SmallVector<HostTensor>>
evaluate(Operation *op, ArrayRef<HostTensor> operands, int64_t maxElements) {
  if (failed(checkOperands(op, operands)) ||
      failed(checkResults(op, maxElements))) {
    return failure();
  }
  for (auto *evaluateFamily :
       {evaluateArithmetic, evaluateBits, evaluateLogic, evaluateShape,
        evaluateReduction, evaluateLinear, evaluateLookup,
        evaluateNormalization, evaluateRandom, evaluateAttention,
        evaluateQuantization}) {
    if (Evaluation evaluation = evaluateFamily(op, operands)) {
      return *evaluation;
    }
  }
  return op->emitOpError() << "cannot be evaluated by itself: expected a pure "
                              "operation of the accel dialect";
}

std::optional<HostTensor> evaluateConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<ConstantOp, IotaOp, BroadcastOp, ReshapeOp, TransposeOp>(
          op) ||
      !fitsHost(cast<RankedTensorType>(value.getType()))) {
    return std::nullopt;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    return HostTensor::fromAttribute(constant.getValue());
  }
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    std::optional<HostTensor> known = evaluateConstant(operand);
    if (!known) {
      return std::nullopt;
    }
    operands.push_back(*known);
  }
  FailureOr<SmallVector<HostTensor>> results = evaluate(op, operands);
  return succeeded(results) ? std::optional(results->front()) : std::nullopt;
}

bool isCheaperComputed(Operation *op) {
  constexpr int64_t kLarge = int64_t(1) << 20;
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getNumElements() <= kLarge) {
    return false;
  }
  bool isIntegerSum =
      isa<AddOp, SubOp, MulOp>(op) && isa<IntegerType>(type.getElementType());
  return isIntegerSum || isa<AndOp, BroadcastOp, CastOp, CompareOp, NotOp, OrOp,
                             ReshapeOp, SelectOp, SliceOp, TransposeOp>(op);
}

} // namespace accel
