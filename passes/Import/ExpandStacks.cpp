// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a sum over arithmetic on a stack of numbers, as weighted losses are,
// one number after the other.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_EXPANDSTACKSPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// Longer ones are data, not losses.
constexpr int64_t kLongest = 64;

/// What computes each element of its result from the same elements of its
/// operands, whatever their shape.
bool isArithmetic(Operation *op) {
  return isa_and_present<AddOp, SubOp, MulOp, DivOp, NegOp, AbsOp, ExpOp, LogOp,
                         SqrtOp, MaxOp, MinOp, PowOp, CastOp, CompareOp,
                         SelectOp>(op);
}

/// Whether `value` is arithmetic on a stack. The stack itself is so only if
/// `hasArithmetic`, that of its reader.
bool isArithmeticOnStack(Value value, bool hasArithmetic) {
  SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (isNumberStack(values[i])) {
      return hasArithmetic;
    }
    hasArithmetic |= isArithmetic(op);
    if (isArithmetic(op) || isa_and_present<ReshapeOp>(op)) {
      values.insert_range(op->getOperands());
    }
  }
  return false;
}

/// Makes single elements of values of one size, by their row-major place.
class ElementBuilder {
public:
  ElementBuilder(OpBuilder &builder, Location loc) : b(builder, loc) {}

  Value get(Value value, int64_t place) {
    if (Value made = elements.lookup({value, place})) {
      return made;
    }
    Value made = make(value, place);
    elements[{value, place}] = made;
    return made;
  }

private:
  Value make(Value value, int64_t place) {
    Operation *op = value.getDefiningOp();
    if (isNumberStack(value)) {
      return b.reshape(op->getOperand(place), {});
    }
    if (isa_and_present<ReshapeOp>(op)) {
      return get(op->getOperand(0), place);
    }
    if (isa_and_present<BroadcastOp>(op) &&
        elementCount(op->getOperand(0)) == 1) {
      return b.reshape(op->getOperand(0), {});
    }
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      Attribute number = constant.getValues<Attribute>()[place];
      return b.create<ConstantOp>(DenseElementsAttr::get(
          typeOf(value).clone(ArrayRef<int64_t>{}), number));
    }
    return isArithmetic(op) ? makeArithmetic(op, place) : cut(value, place);
  }

  Value makeArithmetic(Operation *op, int64_t place) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(get(operand, place));
    }
    Operation *made = b.getBuilder().clone(*op);
    made->setOperands(operands);
    Value result = made->getResult(0);
    result.setType(typeOf(result).clone(ArrayRef<int64_t>{}));
    return result;
  }

  Value cut(Value value, int64_t place) {
    Value flat = b.reshape(value, {elementCount(value)});
    Value one =
        b.create<SliceOp>(typeOf(value).clone({1}), flat,
                          ArrayRef<int64_t>{place}, ArrayRef<int64_t>{1});
    return b.reshape(one, {});
  }

  ArithmeticBuilder b;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> elements;
};

class ExpandStacksPass : public impl::ExpandStacksPassBase<ExpandStacksPass> {
public:
  using ExpandStacksPassBase::ExpandStacksPassBase;

  void runOnOperation() override {
    getOperation().walk([](ReduceSumOp sum) {
      if (isShort(sum) &&
          isArithmeticOnStack(sum.getOperand(), /*hasArithmetic=*/false)) {
        replaceBySum(sum, sum.getOperand(), Value());
      }
    });
    getOperation().walk([](MatmulOp product) {
      if (isShort(product) &&
          (isArithmeticOnStack(product.getLhs(), /*hasArithmetic=*/true) ||
           isArithmeticOnStack(product.getRhs(), /*hasArithmetic=*/true))) {
        replaceBySum(product, product.getLhs(), product.getRhs());
      }
    });
    eraseDeadCode(getOperation());
  }

private:
  static bool isShort(Operation *op) {
    return elementCount(op->getResult(0)) == 1 &&
           elementCount(op->getOperand(0)) <= kLongest;
  }

  /// The sum of all elements of `values`, each times that of `factors`.
  static void replaceBySum(Operation *op, Value values, Value factors) {
    OpBuilder builder(op);
    ArithmeticBuilder b(builder, op->getLoc());
    ElementBuilder elements(builder, op->getLoc());
    Value total;
    for (int64_t i = 0; i < elementCount(values); ++i) {
      Value element = elements.get(values, i);
      element = factors ? b.mul(element, elements.get(factors, i)) : element;
      total = total ? b.add(total, element) : element;
    }
    op->getResult(0).replaceAllUsesWith(
        b.reshape(total, shapeOf(op->getResult(0))));
    op->erase();
  }
};

} // namespace
} // namespace accel
