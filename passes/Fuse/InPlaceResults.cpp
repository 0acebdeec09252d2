// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of kernels that lie where an operand lay that nobody needs any more.
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FunctionBuffers.h"

using namespace mlir;
using namespace accel;

/// Calls `body` with every operand that reads `value`, through views.
static bool allUses(Value value, llvm::function_ref<bool(OpOperand &)> holds) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!isViewOp(user)) {
      return holds(use);
    }
    return llvm::all_of(user->getResults(),
                        [&](Value view) { return allUses(view, holds); });
  });
}

/// Whether a kernel reads `argument` only where it writes its results: element
/// by element, or a row of it for that row.
static bool isReadInPlace(BlockArgument argument,
                          const IterationDomain &shape) {
  return allUses(argument, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto fusable = dyn_cast<FusionOpInterface>(user);
    bool isElementwise =
        isa<func::ReturnOp, DropoutOp>(user) ||
        (fusable && (fusable.getFusionKind() == FusionKind::Elementwise ||
                     fusable.getFusionKind() == FusionKind::Reduction));
    return isElementwise && getNumElements(use.get()) == shape.elements &&
           getAccessRelation(use.get(), argument).kind == AccessKind::Identity;
  });
}

/// Whether `call` is the last that reads `value`, which its block has made.
static bool isLastUse(Value value, func::CallOp call) {
  Operation *producer = value.getDefiningOp();
  return isa_and_nonnull<func::CallOp>(producer) &&
         producer->getBlock() == call->getBlock() &&
         allUses(value, [&](OpOperand &use) {
           Operation *user = use.getOwner();
           return user == call || (user->getBlock() == call->getBlock() &&
                                   user->isBeforeInBlock(call));
         });
}

Value FunctionBuffers::overwrittenBy(func::CallOp call, func::FuncOp kernel,
                                     Value result, ArrayRef<Value> operands) {
  FailureOr<IterationDomain> shape = IterationDomain::get(kernel);
  bool isLoop = succeeded(shape) && (shape->kind == LoopKind::Flat ||
                                     shape->kind == LoopKind::Rows);
  MemRefType type = getBufferType(result.getType());
  if (!isLoop || type.getNumElements() != shape->elements) {
    return {};
  }
  ArrayRef<Value> written = operands.drop_front(call.getNumOperands());
  for (auto [i, value] : llvm::enumerate(call.getOperands())) {
    plan::BufferRange there = plan::getBufferRange(operands[i]);
    auto whole = cast<MemRefType>(there.buffer.getType());
    bool isOwn = there.buffer.getRegion() == plan::Region::Transient &&
                 there.buffer.getSpace() == plan::Space::Device &&
                 !there.part && there.begin == 0 &&
                 there.bytes == plan::getMemRefBytes(whole) &&
                 buffers.lookup(value) == operands[i];
    bool isTaken = llvm::any_of(written, [&](Value other) {
      return plan::getBufferRange(other).buffer == there.buffer;
    });
    bool isSame = whole.getNumElements() == type.getNumElements() &&
                  whole.getElementType() == type.getElementType();
    if (isOwn && !isTaken && isSame && isLastUse(value, call) &&
        isReadInPlace(kernel.getArgument(i), *shape)) {
      return whole == type
                 ? Value(there.buffer)
                 : viewOf(there.buffer, /*offset=*/0, type, call.getLoc());
    }
  }
  return {};
}
