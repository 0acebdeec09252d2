// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates what does not depend on inputs or parameters, with the interpreter.
//
// Cost: what the interpreter needs for the evaluated operations. A tensor is
// freed after its last use, and only values that remain in use become
// attributes, which MLIR never frees.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// Folds the constants of one block.
class ConstantFolder {
public:
  ConstantFolder(Block &block, int64_t maxElements)
      : block(block), maxElements(maxElements) {}

  LogicalResult run() {
    collect();
    decide();
    return apply();
  }

private:
  void collect();
  void decide();
  LogicalResult apply();

  bool isFoldable(Operation *op) const;
  void want(Value value);
  LogicalResult evaluateOp(Operation *op);
  HostTensor takeTensor(Value value);

  Block &block;
  int64_t maxElements;
  /// Operations with only constant operands, constants included, in program
  /// order.
  llvm::SetVector<Operation *> constants;
  /// Values that become constants.
  llvm::SetVector<Value> wanted;
  /// How many evaluations and replacements still read a value; absent if none.
  llvm::DenseMap<Value, int64_t> readers;
  llvm::DenseMap<Value, HostTensor> tensors;
};

} // namespace

bool ConstantFolder::isFoldable(Operation *op) const {
  if (!isa<AccelDialect>(op->getDialect()) || !isPure(op) ||
      op->getNumResults() == 0 || isCheaperComputed(op)) {
    return false;
  }
  bool isSmall = llvm::all_of(op->getResultTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() &&
           tensor.getNumElements() <= maxElements;
  });
  return isSmall && llvm::all_of(op->getOperands(), [&](Value operand) {
           return constants.contains(operand.getDefiningOp());
         });
}

void ConstantFolder::collect() {
  for (Operation &op : block) {
    if (isFoldable(&op)) {
      constants.insert(&op);
    }
  }
}

/// Makes `value` a constant, or leaves it where an index or a broadcast costs a
/// kernel nothing and a constant memory.
void ConstantFolder::want(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ConstantOp, IotaOp>(op)) {
    return;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    want(broadcast.getOperand());
    return;
  }
  if (wanted.insert(value)) {
    ++readers[value];
  }
}

void ConstantFolder::decide() {
  for (Operation *op : constants) {
    for (OpResult result : op->getResults()) {
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !constants.contains(user);
          })) {
        want(result);
      }
    }
  }
  for (Operation *op : llvm::reverse(constants.getArrayRef())) {
    if (llvm::any_of(op->getResults(),
                     [&](Value result) { return readers.contains(result); })) {
      for (Value operand : op->getOperands()) {
        ++readers[operand];
      }
    }
  }
}

/// The tensor of `value` for one of its readers; the last one frees it.
HostTensor ConstantFolder::takeTensor(Value value) {
  HostTensor tensor = tensors.lookup(value);
  if (--readers[value] == 0) {
    tensors.erase(value);
  }
  return tensor;
}

LogicalResult ConstantFolder::evaluateOp(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    std::optional<HostTensor> tensor =
        HostTensor::fromAttribute(constant.getValue());
    if (!tensor) {
      return op->emitOpError(
          "expected elements in memory, got a reference to a resource");
    }
    tensors[constant.getResult()] = *tensor;
    return success();
  }
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(takeTensor(operand));
  }
  FailureOr<SmallVector<HostTensor>> results =
      evaluate(op, operands, maxElements);
  if (failed(results)) {
    return failure();
  }
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), *results)) {
    if (readers.contains(value)) {
      tensors[value] = tensor.rounded();
    }
  }
  return success();
}

LogicalResult ConstantFolder::apply() {
  // Evaluation knows values by their identity, so nothing is replaced before
  // its end.
  SmallVector<std::pair<OpResult, DenseElementsAttr>> replacements;
  for (Operation *op : constants) {
    if (llvm::none_of(op->getResults(),
                      [&](Value result) { return readers.contains(result); })) {
      continue;
    }
    if (failed(evaluateOp(op))) {
      return failure();
    }
    for (OpResult result : op->getResults()) {
      if (wanted.contains(result)) {
        replacements.emplace_back(result, takeTensor(result).toAttribute());
      }
    }
  }
  for (auto [value, elements] : replacements) {
    OpBuilder builder(value.getOwner());
    Value constant =
        ConstantOp::create(builder, value.getLoc(), value.getType(), elements);
    value.replaceAllUsesWith(constant);
  }
  for (Operation *op : llvm::reverse(constants.getArrayRef())) {
    if (op->use_empty()) {
      op->erase();
    }
  }
  return success();
}

namespace {

class FoldConstantsPass
    : public impl::FoldConstantsPassBase<FoldConstantsPass> {
public:
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](func::FuncOp function) {
      for (Block &block : function.getBody()) {
        if (failed(ConstantFolder(block, maxElements).run())) {
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
