// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, arithmetic and stores of elements.
#include "passes/Lower/Cuda/WarpBody.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/OperandAlignment.h"
#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/IndexDivisor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// Where elements lie
//===----------------------------------------------------------------------===//

/// Bytes of what a thread takes of a chunk at once.
static int64_t getAccessBytes(MemRefType type) {
  return std::min(kThreadElements * plan::getElementBytes(type),
                  kLongestAccess);
}

/// The bytes of which the first byte of `buffer` is known to be a multiple.
static int64_t getAlignment(Value buffer) {
  int64_t bytes = plan::getElementBytes(cast<MemRefType>(buffer.getType()));
  int64_t divisor = kLongestAccess;
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    divisor = std::min(divisor, getKnownDivisor(view.getMixedOffsets()[0]));
    buffer = view.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  auto known = function ? function.getArgAttrOfType<IntegerAttr>(
                              argument.getArgNumber(),
                              LLVM::LLVMDialect::getAlignAttrName())
                        : IntegerAttr();
  return std::min(known ? known.getInt() : bytes, divisor * bytes);
}

bool WarpBody::isStreamed(OpOperand &operand) {
  return op.getMatchingIndexingMap(&operand).getNumResults() != 0;
}

bool WarpBody::usesDivided() {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return isStreamed(operand) && PrivateBuffers::isPrivate(operand.get());
  });
}

bool WarpBody::isAligned() {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool isAccessed = op.isDpsInit(&operand) || isRead(operand);
    auto type = cast<MemRefType>(operand.get().getType());
    return !isAccessed || !isStreamed(operand) ||
           PrivateBuffers::isPrivate(operand.get()) ||
           getAlignment(operand.get()) % getAccessBytes(type) == 0;
  });
}

Value WarpBody::place(const WarpPart &part) const {
  if (part.order == WarpOrder::Single) {
    return part.start;
  }
  IndexArithmetic indices(builder, loc);
  Value thread = WarpOps(builder, loc).threadIndex();
  if (part.order == WarpOrder::Neighbours) {
    Value first = indices.add(part.start, indices.mul(thread, kThreadElements));
    return indices.add(first, part.number);
  }
  Value first = indices.add(part.start, part.number * kWarpThreads);
  return indices.add(first, thread);
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

bool WarpBody::isRead(OpOperand &operand) {
  return reductionOf(operand) < 0 &&
         !op.getMatchingBlockArgument(&operand).use_empty();
}

/// Null where the body does not read the operand.
Value WarpBody::loadOne(OpOperand &operand, const WarpPart &part) {
  if (!isRead(operand)) {
    return {};
  }
  if (!isStreamed(operand)) {
    return memref::LoadOp::create(builder, loc, operand.get(), ValueRange());
  }
  auto [buffer, index] = locate(operand.get(), part);
  return memref::LoadOp::create(builder, loc, buffer, index);
}

WarpBody::Loaded WarpBody::load(const WarpPart &part) {
  Loaded loaded;
  for (OpOperand &operand : op->getOpOperands()) {
    loaded.push_back(loadOne(operand, part));
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// All elements of a thread
//===----------------------------------------------------------------------===//

static bool areOneAccess(ArrayRef<WarpPart> parts) {
  return parts.size() == kThreadElements &&
         parts.front().order == WarpOrder::Neighbours;
}

/// The elements of a streamed operand in memory, in one access.
WarpBody::Loaded WarpBody::loadNeighbours(OpOperand &operand,
                                          ArrayRef<WarpPart> parts) {
  auto type = cast<MemRefType>(operand.get().getType());
  auto vector = VectorType::get(parts.size(), type.getElementType());
  Value all = vector::LoadOp::create(
      builder, loc, vector, operand.get(), ValueRange{place(parts.front())},
      /*nontemporal=*/false, llvm::MaybeAlign(getAccessBytes(type)));
  Values elements;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    elements.push_back(vector::ExtractOp::create(builder, loc, all, i));
  }
  return elements;
}

SmallVector<WarpBody::Loaded> WarpBody::loadAll(ArrayRef<WarpPart> parts) {
  SmallVector<Loaded> all = llvm::map_to_vector(
      parts, [&](const WarpPart &part) { return Loaded(); });
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInMemory =
        isStreamed(operand) && !PrivateBuffers::isPrivate(operand.get());
    if (areOneAccess(parts) && isInMemory && isRead(operand)) {
      for (auto [loaded, element] :
           llvm::zip_equal(all, loadNeighbours(operand, parts))) {
        loaded.push_back(element);
      }
      continue;
    }
    for (auto [loaded, part] : llvm::zip_equal(all, parts)) {
      loaded.push_back(loadOne(operand, part));
    }
  }
  return all;
}

void WarpBody::storeAll(ArrayRef<WarpPart> parts, ArrayRef<Computed> computed) {
  bool isOneAccess = areOneAccess(parts);
  for (auto [part, values] : llvm::zip_equal(parts, computed)) {
    storePrivate(part, values);
    if (!isOneAccess) {
      storeShared(part, values);
    }
  }
  if (isOneAccess) {
    storeNeighbours(place(parts.front()), computed);
  }
}

/// The elements of all results in memory, from `first` on.
void WarpBody::storeNeighbours(Value first, ArrayRef<Computed> computed) {
  size_t next = 0;
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (reductionOf(out) >= 0) {
      continue;
    }
    size_t i = next++;
    if (PrivateBuffers::isPrivate(out.get())) {
      continue;
    }
    auto type = cast<MemRefType>(out.get().getType());
    Values elements = llvm::map_to_vector(
        computed, [&](const Computed &values) { return values.stored[i]; });
    auto vector = VectorType::get(elements.size(), type.getElementType());
    Value all = vector::FromElementsOp::create(builder, loc, vector, elements);
    vector::StoreOp::create(builder, loc, all, out.get(), ValueRange{first},
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(getAccessBytes(type)));
  }
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

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
