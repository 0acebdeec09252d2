// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, arithmetic and stores of one element, and the memory of a thread.
#include "passes/Lower/Cuda/WarpBody.h"

#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// The memory of a thread
//===----------------------------------------------------------------------===//

static memref::AllocaOp getAlloca(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    buffer = view.getViewSource();
  }
  return buffer.getDefiningOp<memref::AllocaOp>();
}

bool PrivateBuffers::isPrivate(Value buffer) {
  return static_cast<bool>(getAlloca(buffer));
}

Value PrivateBuffers::getDivided(Value buffer) {
  memref::AllocaOp whole = getAlloca(buffer);
  if (!whole || whole.getType().getRank() == 0) {
    return {};
  }
  Value &part = divided[whole];
  if (!part) {
    OpBuilder builder(whole);
    int64_t size =
        llvm::divideCeil(whole.getType().getNumElements(), kWarpThreads);
    part = memref::AllocaOp::create(
        builder, whole.getLoc(),
        MemRefType::get({size}, whole.getType().getElementType()));
  }
  return part;
}

/// Erases views of `op` that nobody reads, then `op`.
static LogicalResult eraseWithViews(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    if (!isa<ViewLikeOpInterface>(user)) {
      return user->emitOpError("expected a buffer of one call to be read and "
                               "stored by the loops that warps execute, got "
                               "another use of it");
    }
    if (failed(eraseWithViews(user))) {
      return failure();
    }
  }
  op->erase();
  return success();
}

LogicalResult PrivateBuffers::eraseDivided() {
  for (auto &[whole, part] : divided) {
    if (failed(eraseWithViews(whole))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The element of a thread
//===----------------------------------------------------------------------===//

Value WarpBody::place(const WarpPart &part) const {
  if (part.isSingle) {
    return part.start;
  }
  IndexArithmetic indices(builder, loc);
  Value first = indices.add(part.start, part.number * kWarpThreads);
  return indices.add(first, WarpOps(builder, loc).threadIndex());
}

std::pair<Value, Value> WarpBody::locate(Value operand,
                                         const WarpPart &part) const {
  Value divided = buffers.getDivided(operand);
  if (!divided) {
    return {operand, place(part)};
  }
  IndexArithmetic indices(builder, loc);
  return {divided,
          indices.add(indices.div(part.start, kWarpThreads), part.number)};
}

int64_t WarpBody::reductionOf(OpOperand &operand) {
  const auto *found = llvm::find_if(reductions, [&](const RowReduction &r) {
    return r.accumulator == &operand;
  });
  return found == reductions.end() ? -1 : found - reductions.begin();
}

WarpBody::Loaded WarpBody::load(const WarpPart &part) {
  Loaded loaded;
  for (OpOperand &operand : op->getOpOperands()) {
    Value &value = loaded.emplace_back();
    if (reductionOf(operand) >= 0 ||
        op.getMatchingBlockArgument(&operand).use_empty()) {
      continue;
    }
    if (op.getMatchingIndexingMap(&operand).getNumResults() == 0) {
      value = memref::LoadOp::create(builder, loc, operand.get(), ValueRange());
      continue;
    }
    auto [buffer, index] = locate(operand.get(), part);
    value = memref::LoadOp::create(builder, loc, buffer, index);
  }
  return loaded;
}

WarpBody::Computed WarpBody::compute(const WarpPart &part,
                                     ArrayRef<Value> loaded, ValueRange sums) {
  IRMapping map;
  for (auto [operand, value] : llvm::zip_equal(op->getOpOperands(), loaded)) {
    int64_t reduction = reductionOf(operand);
    Value known = reduction >= 0 ? sums[reduction] : value;
    if (known) {
      map.map(op.getMatchingBlockArgument(&operand), known);
    }
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp>(inner)) {
      map.map(inner.getResult(0), place(part));
    } else {
      builder.clone(inner, map);
    }
  }
  Computed computed;
  Operation *yield = op.getBody()->getTerminator();
  for (OpOperand &out : op.getDpsInitsMutable()) {
    Value value = map.lookupOrDefault(
        yield->getOperand(out.getOperandNumber() - op.getNumDpsInputs()));
    (reductionOf(out) >= 0 ? computed.sums : computed.stored).push_back(value);
  }
  return computed;
}

void WarpBody::storeWhere(const WarpPart &part, const Computed &computed,
                          bool isPrivate) {
  const Value *next = computed.stored.begin();
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (reductionOf(out) >= 0) {
      continue;
    }
    Value value = *next++;
    if (PrivateBuffers::isPrivate(out.get()) == isPrivate) {
      auto [buffer, index] = locate(out.get(), part);
      memref::StoreOp::create(builder, loc, value, buffer, index);
    }
  }
}

bool WarpBody::storesAny() {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
    return reductionOf(out) < 0 && !PrivateBuffers::isPrivate(out.get());
  });
}
