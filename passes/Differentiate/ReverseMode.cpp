// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse-mode differentiation: find what depends on `wrt`, then walk backwards
// and hand gradients to the operands.
#include "passes/Differentiate/ReverseMode.h"

#include "passes/ErrorCodes.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace accel {
namespace {

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// Passes every notification on and remembers the operations, in the order of
/// their insertion.
class InsertionRecorder : public OpBuilder::Listener {
public:
  explicit InsertionRecorder(OpBuilder &builder)
      : builder(builder), previous(builder.getListener()) {
    builder.setListener(this);
  }
  ~InsertionRecorder() override { builder.setListener(previous); }

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint from) override {
    inserted.push_back(op);
    if (previous) {
      previous->notifyOperationInserted(op, from);
    }
  }
  void notifyBlockInserted(Block *block, Region *from,
                           Region::iterator at) override {
    if (previous) {
      previous->notifyBlockInserted(block, from, at);
    }
  }

  /// Rules build the gradients of all operands; what nobody asked for goes away
  /// again. `kept` are results.
  void eraseDead(const llvm::DenseSet<Value> &kept) {
    for (Operation *op : llvm::reverse(inserted)) {
      if (isOpTriviallyDead(op) &&
          llvm::none_of(op->getResults(),
                        [&](Value result) { return kept.contains(result); })) {
        op->erase();
      }
    }
  }

private:
  OpBuilder &builder;
  OpBuilder::Listener *previous;
  llvm::SmallVector<Operation *> inserted;
};

class ReverseMode {
public:
  ReverseMode(OpBuilder &builder, Block &block)
      : builder(builder), block(block), recorder(builder) {}

  LogicalResult checkArguments(ArrayRef<Value> outputs,
                               ArrayRef<Value> outputGradients,
                               ArrayRef<Value> wrt);
  void findActive(ArrayRef<Value> wrt);
  void seed(ArrayRef<Value> outputs, ArrayRef<Value> outputGradients);
  LogicalResult run();

  /// The sum of what `value` has received so far; null if nothing.
  Value getSum(Value value);
  ArrayRef<Value> getContributions(Value value) { return contributions[value]; }
  Value getZero(Value value);
  void eraseDead(const llvm::DenseSet<Value> &kept) {
    recorder.eraseDead(kept);
  }

private:
  bool isActive(Operation &op) const {
    return llvm::any_of(op.getOperands(), [&](Value operand) {
      return active.contains(operand);
    });
  }
  LogicalResult differentiate(Operation *op);

  OpBuilder &builder;
  Block &block;
  InsertionRecorder recorder;
  llvm::DenseSet<Value> active; ///< float tensors that depend on `wrt`
  llvm::SmallVector<Operation *>
      path; ///< operations with an active operand and an active result, in
            ///< program order
  llvm::DenseMap<Value, llvm::SmallVector<Value>> contributions;
  llvm::DenseMap<Value, Value> sums;
};

LogicalResult ReverseMode::checkArguments(ArrayRef<Value> outputs,
                                          ArrayRef<Value> outputGradients,
                                          ArrayRef<Value> wrt) {
  for (Value value : wrt) {
    if (!isFloatTensor(value)) {
      return emitError(value.getLoc()) << "cannot differentiate by this value: "
                                          "expected a float tensor, got "
                                       << value.getType();
    }
  }
  for (auto [output, gradient] : llvm::zip_equal(outputs, outputGradients)) {
    if (!isFloatTensor(output)) {
      return emitError(output.getLoc())
             << "cannot be differentiated: expected a float tensor, got "
             << output.getType();
    }
    if (gradient.getType() != output.getType()) {
      return emitError(gradient.getLoc())
             << "expected a gradient of its output's type " << output.getType()
             << ", got " << gradient.getType();
    }
  }
  return success();
}

void ReverseMode::findActive(ArrayRef<Value> wrt) {
  active.insert(wrt.begin(), wrt.end());
  for (Operation &op : block) {
    if (!isActive(op)) {
      continue;
    }
    auto results = llvm::make_filter_range(op.getResults(), isFloatTensor);
    if (!results.empty()) {
      active.insert(results.begin(), results.end());
      path.push_back(&op);
    }
  }
}

void ReverseMode::seed(ArrayRef<Value> outputs,
                       ArrayRef<Value> outputGradients) {
  for (auto [output, gradient] : llvm::zip_equal(outputs, outputGradients)) {
    if (active.contains(output)) {
      contributions[output].push_back(gradient);
    }
  }
}

LogicalResult ReverseMode::run() {
  for (Operation *op : llvm::reverse(path)) {
    bool reached = llvm::any_of(op->getResults(), [&](Value result) {
      return contributions.contains(result);
    });
    if (reached && failed(differentiate(op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ReverseMode::differentiate(Operation *op) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule) {
    return withCode(op->emitOpError(), codes::NotTrainable)
           << "cannot be differentiated: expected an operation with a gradient "
              "rule between the outputs "
              "and the values to differentiate by";
  }
  llvm::SmallVector<Value> resultGradients = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return getSum(result); });
  llvm::SmallVector<Value> operandGradients(op->getNumOperands());
  if (failed(rule.buildGradient(builder, resultGradients, operandGradients))) {
    return failure();
  }
  for (auto [operand, gradient] :
       llvm::zip_equal(op->getOperands(), operandGradients)) {
    if (!gradient || !active.contains(operand)) {
      continue;
    }
    if (gradient.getType() != operand.getType()) {
      return op->emitOpError()
             << "has a gradient rule that gives " << gradient.getType()
             << " for an operand of type " << operand.getType();
    }
    contributions[operand].push_back(gradient);
  }
  return success();
}

Value ReverseMode::getSum(Value value) {
  auto found = contributions.find(value);
  if (found == contributions.end()) {
    return Value();
  }
  Value &sum = sums[value];
  if (!sum) {
    sum = found->second.front();
    for (Value addend : ArrayRef(found->second).drop_front()) {
      sum =
          AddOp::create(builder, value.getLoc(), value.getType(), sum, addend);
    }
  }
  return sum;
}

Value ReverseMode::getZero(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto zero = DenseElementsAttr::get(
      type, builder.getFloatAttr(type.getElementType(), 0.0));
  return ConstantOp::create(builder, value.getLoc(), zero);
}

} // namespace

FailureOr<llvm::SmallVector<Value>>
differentiate(OpBuilder &builder, Block &block, ArrayRef<Value> outputs,
              ArrayRef<Value> outputGradients, ArrayRef<Value> wrt) {
  ReverseMode mode(builder, block);
  if (failed(mode.checkArguments(outputs, outputGradients, wrt))) {
    return failure();
  }
  mode.findActive(wrt);
  mode.seed(outputs, outputGradients);
  if (failed(mode.run())) {
    return failure();
  }
  llvm::SmallVector<Value> gradients;
  for (Value value : wrt) {
    Value sum = mode.getSum(value);
    gradients.push_back(sum ? sum : mode.getZero(value));
  }
  mode.eraseDead(llvm::DenseSet<Value>(gradients.begin(), gradients.end()));
  return gradients;
}

FailureOr<llvm::SmallVector<llvm::SmallVector<Value>>>
differentiateContributions(OpBuilder &builder, Block &block,
                           ArrayRef<Value> outputs,
                           ArrayRef<Value> outputGradients,
                           ArrayRef<Value> wrt) {
  ReverseMode mode(builder, block);
  if (failed(mode.checkArguments(outputs, outputGradients, wrt))) {
    return failure();
  }
  mode.findActive(wrt);
  mode.seed(outputs, outputGradients);
  if (failed(mode.run())) {
    return failure();
  }
  llvm::SmallVector<llvm::SmallVector<Value>> gradients;
  llvm::DenseSet<Value> kept;
  for (Value value : wrt) {
    gradients.emplace_back(mode.getContributions(value));
    kept.insert(gradients.back().begin(), gradients.back().end());
  }
  mode.eraseDead(kept);
  return gradients;
}

} // namespace accel
