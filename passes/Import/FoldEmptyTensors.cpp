// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements end here: kernels, buckets and losses divide by the
// sizes of theirs.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/SplatConstant.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <limits>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_FOLDEMPTYTENSORSPASS
#include "passes/Import/Passes.h.inc"

namespace {

bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

bool isEmptyValue(Value value) { return isEmpty(value.getType()); }

/// The largest of no numbers is, as ONNX has it, the lowest there is, and the
/// smallest the highest.
Attribute getBound(Type elementType, bool isLowest) {
  Builder builder(elementType.getContext());
  if (isa<FloatType>(elementType)) {
    double infinity = std::numeric_limits<double>::infinity();
    return builder.getFloatAttr(elementType, isLowest ? -infinity : infinity);
  }
  unsigned bits = elementType.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(elementType,
                                isLowest ? APInt::getSignedMinValue(bits)
                                         : APInt::getSignedMaxValue(bits));
}

/// What `op` makes of operands without elements; null if it makes nothing of
/// them, or nothing that is known.
Value foldOp(Operation *op) {
  if (op->getNumResults() != 1 || isEmptyValue(op->getResult(0)) ||
      llvm::none_of(op->getOperands(), isEmptyValue)) {
    return {};
  }
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    SmallVector<Value> rest = llvm::to_vector(
        llvm::make_filter_range(concat->getOperands(), [](Value operand) {
          return !isEmptyValue(operand);
        }));
    return rest.size() == 1 ? rest.front()
                            : ConcatOp::create(builder, op->getLoc(), type,
                                               rest, concat.getAxis());
  }
  Attribute element;
  if (isa<MatmulOp, ReduceSumOp>(op)) {
    element = builder.getZeroAttr(type.getElementType());
  } else if (isa<ReduceMaxOp, ReduceMinOp>(op)) {
    element = getBound(type.getElementType(), isa<ReduceMaxOp>(op));
  } else {
    return {};
  }
  return ConstantOp::create(builder, op->getLoc(), type,
                            DenseElementsAttr::get(type, element));
}

class FoldEmptyTensorsPass
    : public impl::FoldEmptyTensorsPassBase<FoldEmptyTensorsPass> {
public:
  using FoldEmptyTensorsPassBase::FoldEmptyTensorsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasFailed = false;
    for (auto parameter : module.getOps<ParameterOp>()) {
      hasFailed |= failed(checkParameter(parameter));
    }
    for (auto function : module.getOps<func::FuncOp>()) {
      if (results) {
        makeEmpty(function);
      }
      fold(function);
      hasFailed |= failed(checkOps(function));
    }
    if (hasFailed) {
      signalPassFailure();
    }
  }

private:
  /// Whatever it is computed of, there is one tensor without elements of a
  /// type.
  static void makeEmpty(func::FuncOp function) {
    function.walk([&](Operation *op) {
      OpBuilder builder(op);
      for (OpResult result : op->getResults()) {
        if (isEmptyValue(result) && !isa<ConstantOp>(op)) {
          auto type = cast<RankedTensorType>(result.getType());
          result.replaceAllUsesWith(ConstantOp::create(
              builder, op->getLoc(), type,
              DenseElementsAttr::get(type, ArrayRef<Attribute>())));
        }
      }
    });
  }

  static void fold(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (Value value = foldOp(op)) {
        op->getResult(0).replaceAllUsesWith(value);
      }
    });
    // What nobody reads may have no elements: a part that a model cuts off.
    eraseDeadCode(function);
  }

  static LogicalResult checkParameter(ParameterOp parameter) {
    if (!isEmpty(parameter.getType())) {
      return success();
    }
    return withCode(parameter.emitError("parameter '"), codes::EmptyTensor)
           << parameter.getSymName() << "': expected at least one element, got "
           << parameter.getType()
           << "; give its layer a size, or leave it out of the model";
  }

  /// Only what makes a size 0 is at fault, not what follows from it.
  LogicalResult checkOps(func::FuncOp function) const {
    bool hasFailed = false;
    function.walk([&](Operation *op) {
      if (isa<ReadOp>(op) || (results && isa<ConstantOp>(op)) ||
          llvm::any_of(op->getOperands(), isEmptyValue)) {
        return;
      }
      for (Type type : op->getResultTypes()) {
        if (isEmpty(type)) {
          hasFailed = true;
          withCode(op->emitError(), codes::EmptyTensor)
              << "expected a result with at least one element, got " << type
              << "; give that dimension a size, or leave out what is computed "
                 "of it";
        }
      }
    });
    return failure(hasFailed);
  }
};

} // namespace
} // namespace accel
