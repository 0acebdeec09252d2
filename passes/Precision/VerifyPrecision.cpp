// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Precision: every site reads what was decided for it.
#include "passes/Precision/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYPRECISIONPASS
#include "passes/Precision/Passes.h.inc"

namespace {

/// Traces operands of products to what made them, without the pass's own
/// helpers, in the microbatch or in a kernel. What a kernel reads another one
/// has stored, in a buffer of the same type: every kernel is held to what it
/// stores in the low type.
class PrecisionVerifier {
public:
  PrecisionVerifier(func::FuncOp function, Type low)
      : function(function), low(low) {}

  LogicalResult verify() {
    function.walk([&](Operation *op) {
      if (isSite(op)) {
        verifySite(op);
      } else if (auto read = dyn_cast<ReadOp>(op)) {
        verifyRead(read);
      } else if (auto result = dyn_cast<func::ReturnOp>(op)) {
        verifyStored(result);
      }
    });
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  static Type getElement(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }

  /// Whether `op` multiplies, or looks parameters up, in floats of at most 32
  /// bits.
  static bool isSite(Operation *op) {
    bool isEmbedding = isa<GatherOp>(op) &&
                       isa_and_nonnull<ReadOp>(findStored(op->getOperand(0)));
    if (!isEmbedding && !isa<MatmulOp, AttentionOp, AttentionGradOp>(op)) {
      return false;
    }
    auto type = dyn_cast<FloatType>(getElement(op->getOperand(0)));
    return type && type.getWidth() <= 32;
  }

  /// How many operands are numbers that the operation multiplies or looks up.
  static unsigned countFactors(Operation *op) {
    return isa<GatherOp>(op)      ? 1
           : isa<MatmulOp>(op)    ? 2
           : isa<AttentionOp>(op) ? 3
                                  : 5;
  }

  /// What made the elements of `value`; null if nothing did.
  static Operation *findStored(Value value) {
    Operation *op = value.getDefiningOp();
    while (
        isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, SplitOp, BroadcastOp>(
            op)) {
      op = op->getOperand(0).getDefiningOp();
    }
    return op;
  }

  void verifySite(Operation *op) {
    bool isExcluded = op->hasAttr("accel.precision_reason");
    for (Value operand : op->getOperands().take_front(countFactors(op))) {
      Type element = getElement(operand);
      if (isExcluded ? element == low : element != low) {
        fail(op) << "expected operands of "
                 << (isExcluded ? Type(Float32Type::get(op->getContext()))
                                : low)
                 << (isExcluded ? ", as the product is excluded" : "")
                 << ", got " << element;
        return;
      }
      if (!isExcluded && !findRounding(operand)) {
        fail(op) << "expected each operand to come from a cast to " << low
                 << ", a parameter or another result of " << low
                 << ", got one that does not";
        return;
      }
    }
    auto product = dyn_cast<MatmulOp>(op);
    if (product && !getElement(product.getResult()).isF32()) {
      fail(op) << "expected a product that is summed in f32, got a result of "
               << getElement(product.getResult());
    }
  }

  /// What is stored low was rounded, or was low.
  void verifyStored(func::ReturnOp results) {
    for (Value value : results.getOperands()) {
      if (getElement(value) == low && !findRounding(value)) {
        fail(results) << "expected a result of " << low
                      << " to come from a cast, or from other numbers of "
                      << low << ", got " << value;
      }
    }
  }

  /// Whether something made the numbers of `value` low.
  bool findRounding(Value value) const {
    Operation *op = findStored(value);
    if (!op) {
      // What a kernel reads somebody has stored; nobody makes what a microbatch
      // is given.
      return isKernel();
    }
    if (auto parts = dyn_cast_or_null<ConcatOp>(op)) {
      return llvm::all_of(parts.getOperands(),
                          [&](Value part) { return findRounding(part); });
    }
    auto narrow = dyn_cast<CastOp>(op);
    return narrow ? getElement(narrow.getOperand()).isF32()
                  : isa<ReadOp, GatherOp, AttentionOp, AttentionGradOp>(op);
  }

  /// Whoever gathers a parameter gathers one type of it.
  void verifyRead(ReadOp read) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
        read, read.getSymbolAttr());
    if (parameter && read.getType() != parameter.getComputeType()) {
      fail(read) << "expected parameter '" << parameter.getSymName()
                 << "' to be read as " << parameter.getComputeType() << ", got "
                 << read.getType();
    }
  }

  bool isKernel() const { return function->hasAttr("plan.kernel"); }

  func::FuncOp function;
  Type low;
  bool hasFailed = false;
};

class VerifyPrecisionPass
    : public impl::VerifyPrecisionPassBase<VerifyPrecisionPass> {
public:
  using VerifyPrecisionPassBase::VerifyPrecisionPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto low = getOperation()->getAttrOfType<TypeAttr>("accel.precision");
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool computes = function.getSymName() == "microbatch" ||
                      function->hasAttr("plan.kernel");
      if (low && computes &&
          failed(PrecisionVerifier(function, low.getValue()).verify())) {
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace accel
