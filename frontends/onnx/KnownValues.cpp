// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lazy evaluation with an explicit stack: the depth of a graph is the file's choice, the depth of our stack is not.
#include "frontends/onnx/KnownValues.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Evaluate.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace accel::onnx {

void KnownValues::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  bool pure = isa_and_nonnull<AccelDialect>(op->getDialect()) && isMemoryEffectFree(op);
  if (pure && llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand); })) {
    known.insert(op->result_begin(), op->result_end());
  }
}

HostTensor KnownValues::evaluate(Value value) {
  if (!isKnown(value)) {
    return {};
  }
  SmallVector<Operation *> pending{value.getDefiningOp()};
  while (!pending.empty()) {
    Operation *op = pending.back();
    SmallVector<HostTensor> operands;
    bool ready = true;
    for (Value operand : op->getOperands()) {
      auto found = values.find(operand);
      if (found == values.end()) {
        pending.push_back(operand.getDefiningOp());
        ready = false;
      } else {
        operands.push_back(found->second);
      }
    }
    if (!ready) {
      continue;
    }
    pending.pop_back();
    if (values.contains(op->getResult(0))) {
      continue;
    }
    FailureOr<SmallVector<HostTensor>> results = failure();
    if (llvm::all_of(operands, [](const HostTensor &operand) { return bool(operand); }) && succeeded(verify(op))) {
      results = accel::evaluate(op, operands);
    }
    for (OpResult result : op->getResults()) {
      // A null tensor stands for a failure, so that its error is given once.
      values[result] = succeeded(results) ? (*results)[result.getResultNumber()].rounded() : HostTensor();
    }
  }
  return values.lookup(value);
}

std::optional<SmallVector<int64_t>> KnownValues::evaluateIntegers(Value value) {
  HostTensor tensor = evaluate(value);
  if (!tensor || tensor.isFloat()) {
    return std::nullopt;
  }
  return SmallVector<int64_t>(tensor.integers());
}

LogicalResult KnownValues::materialize(Block &block) {
  // From the end: when an operation is reached, its users are final.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.getNumResults() == 0 || !isKnown(op.getResult(0))) {
      continue;
    }
    if (op.use_empty()) {
      op.erase();
      continue;
    }
    if (isa<ConstantOp, IotaOp, BroadcastOp>(op)) {
      continue;
    }
    OpBuilder builder(&op);
    for (OpResult result : op.getResults()) {
      if (result.use_empty()) {
        continue;
      }
      HostTensor value = evaluate(result);
      if (!value) {
        return failure();
      }
      result.replaceAllUsesWith(ConstantOp::create(builder, op.getLoc(), value.toAttribute()));
    }
    op.erase();
  }
  return success();
}

} // namespace accel::onnx
