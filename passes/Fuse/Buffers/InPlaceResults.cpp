// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operand is overwritten by the kernel that reads it last, element by
// element or row by row.
#include "passes/Fuse/Buffers/InPlaceResults.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

/// Whether `holds` for every operand that reads `value`, through views.
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
/// by element, or a row of it for that row. What is computed of it is computed
/// where it is read, so the same holds of that.
static bool isReadInPlace(BlockArgument argument,
                          const IterationDomain &domain) {
  llvm::SetVector<Value> values;
  values.insert(argument);
  auto isReadThere = [&](OpOperand &use, Value value) {
    Operation *user = use.getOwner();
    auto fusable = dyn_cast<FusionOpInterface>(user);
    bool isElementwise =
        isa<func::ReturnOp, DropoutOp>(user) ||
        (fusable && (fusable.getFusionKind() == FusionKind::Elementwise ||
                     fusable.getFusionKind() == FusionKind::Reduction));
    for (Value result : user->getResults()) {
      if (getNumElements(result) == domain.elements) {
        values.insert(result);
      }
    }
    return isElementwise && getNumElements(use.get()) == domain.elements &&
           getAccessRelation(use.get(), value).kind == AccessKind::Identity;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (!allUses(value,
                 [&](OpOperand &use) { return isReadThere(use, value); })) {
      return false;
    }
  }
  return true;
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

/// Whether `range` is all of a buffer that the function has for itself and that
/// has as many elements as a `type`, of the same element type.
static bool isWholeBuffer(const plan::BufferRange &range, MemRefType type) {
  plan::BufferOp buffer = range.buffer;
  auto whole = cast<MemRefType>(buffer.getType());
  return buffer.getRegion() == plan::Region::Transient &&
         buffer.getKlass() != plan::MemoryClass::Gathered && !range.part &&
         range.begin == 0 && range.bytes == plan::getMemRefBytes(whole) &&
         whole.getNumElements() == type.getNumElements() &&
         whole.getElementType() == type.getElementType();
}

std::optional<unsigned>
accel::findOverwrittenOperand(KernelCall &call, Value result,
                              const ValueBuffers &values) {
  FailureOr<IterationDomain> domain = IterationDomain::get(call.kernel);
  bool isLoop = succeeded(domain) && (domain->kind == LoopKind::Flat ||
                                      domain->kind == LoopKind::Rows);
  MemRefType type = getBufferType(result.getType());
  if (!isLoop || type.getNumElements() != domain->elements) {
    return std::nullopt;
  }
  for (auto [i, value] : llvm::enumerate(call.op.getOperands())) {
    plan::BufferRange range = plan::getBufferRange(call.buffers[i]);
    bool isTaken = llvm::any_of(call.getResultBuffers(), [&](Value other) {
      return plan::getBufferRange(other).buffer == range.buffer;
    });
    if (!isTaken && isWholeBuffer(range, type) &&
        values.lookup(value) == call.buffers[i] && isLastUse(value, call.op) &&
        isReadInPlace(call.kernel.getArgument(i), *domain)) {
      return i;
    }
  }
  return std::nullopt;
}
