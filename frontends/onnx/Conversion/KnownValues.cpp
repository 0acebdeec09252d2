// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lazy evaluation with an explicit stack: the depth of a graph is the file's
// choice, the depth of our stack is not.
#include "frontends/onnx/Conversion/KnownValues.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Evaluate.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Four tensors of that size at a time, as computing a mask takes.
constexpr int64_t liveLimit = 4 * kMaxKnownElements;

/// Below this many elements keeping a value costs less than making it again.
constexpr int64_t largeTensor = 65536;

} // namespace

void KnownValues::notifyOperationInserted(Operation *op,
                                          OpBuilder::InsertPoint) {
  bool pure =
      isa_and_nonnull<AccelDialect>(op->getDialect()) && isMemoryEffectFree(op);
  if (pure && llvm::all_of(op->getOperands(),
                           [&](Value operand) { return isKnown(operand); })) {
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
    size_t before = pending.size();
    if (!values.contains(op->getResult(0))) {
      for (Value operand : op->getOperands()) {
        if (!values.contains(operand)) {
          pending.push_back(operand.getDefiningOp());
        }
      }
    }
    if (pending.size() == before) {
      pending.pop_back();
      evaluateOperation(op);
    }
  }
  return values.lookup(value);
}

/// Before anything is allocated.
LogicalResult KnownValues::checkSize(Operation *op) {
  int64_t elements = liveElements;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!fitsHost(tensor, kMaxKnownElements)) {
      return op->emitError("expected a constant of at most ")
             << kMaxKnownElements << " elements, got one of type " << tensor
             << "; compute it from the model's inputs, or with smaller sizes";
    }
    elements += tensor.getNumElements();
  }
  if (elements > liveLimit) {
    return op->emitError("expected constants of at most ")
           << liveLimit
           << " elements at a time, got more; compute them from the model's "
              "inputs, or with smaller sizes";
  }
  return success();
}

/// Requires: the operands are evaluated.
void KnownValues::evaluateOperation(Operation *op) {
  if (values.contains(op->getResult(0))) {
    return;
  }
  SmallVector<HostTensor> operands;
  bool good = true;
  for (Value operand : op->getOperands()) {
    operands.push_back(values.lookup(operand));
    good &= static_cast<bool>(operands.back());
  }
  good = good && succeeded(checkSize(op));
  FailureOr<SmallVector<HostTensor>> results = failure();
  if (good && succeeded(verify(op))) {
    results = accel::evaluate(op, operands);
  }
  for (OpResult result : op->getResults()) {
    // A null tensor stands for a failure, so that its error is given once.
    store(result, succeeded(results)
                      ? (*results)[result.getResultNumber()].rounded()
                      : HostTensor());
  }
  for (Value operand : op->getOperands()) {
    releaseIfUsedUp(operand);
  }
}

void KnownValues::store(Value value, HostTensor tensor) {
  release(value);
  liveElements += tensor ? tensor.getNumElements() : 0;
  values[value] = std::move(tensor);
}

void KnownValues::release(Value value) {
  auto found = values.find(value);
  if (found != values.end()) {
    liveElements -= found->second ? found->second.getNumElements() : 0;
    values.erase(found);
  }
}

/// Large tensors go as soon as all users have been evaluated; should another
/// come, they are computed again.
void KnownValues::releaseIfUsedUp(Value value) {
  auto found = values.find(value);
  if (found == values.end() || !found->second ||
      found->second.getNumElements() < largeTensor) {
    return;
  }
  bool usedUp = llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() > 0 && values.contains(user->getResult(0));
  });
  if (usedUp) {
    release(value);
  }
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
    bool isKnownOp = op.getNumResults() > 0 && isKnown(op.getResult(0));
    bool stays = !op.use_empty() && (isa<ConstantOp, IotaOp, BroadcastOp>(op) ||
                                     isCheaperComputed(&op));
    if (isKnownOp && !stays && failed(materialize(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult KnownValues::materialize(Operation *op) {
  OpBuilder builder(op);
  for (OpResult result : op->getResults()) {
    if (!result.use_empty()) {
      HostTensor value = evaluate(result);
      if (!value) {
        return failure();
      }
      result.replaceAllUsesWith(
          ConstantOp::create(builder, op->getLoc(), value.toAttribute()));
    }
    release(result);
    known.erase(result);
  }
  op->erase();
  return success();
}

} // namespace accel::onnx
