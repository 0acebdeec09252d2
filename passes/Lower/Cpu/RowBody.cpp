// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of one iteration: one for all lanes, one per four, or one per
// lane.
#include "passes/Lower/Cpu/RowBody.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/RandomOps.h"
#include "passes/Lower/Routine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace accel;

int64_t RowBody::reductionOf(OpOperand &operand) const {
  const auto *found = llvm::find_if(reductions, [&](const RowReduction &r) {
    return r.accumulator == &operand;
  });
  return found == reductions.end() ? -1 : found - reductions.begin();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// start, start + 1, ...
Value RowBody::lanesFrom(Value start, Type type, int64_t lanes) {
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    numbers.push_back(builder.getIntegerAttr(type, lane));
  }
  auto wide = VectorType::get({lanes}, type);
  Value offsets = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(wide, numbers));
  return Arithmetic(builder, loc, wide)
      .add(vector::BroadcastOp::create(builder, loc, wide, start), offsets);
}

/// The index of every lane, in numbers of `type`.
Value RowBody::indices(Type type) {
  Value start = iteration.start;
  if (!type.isIndex()) {
    start = IndexArithmetic(builder, loc).cast(start, type);
  }
  return iteration.lanes == 0 ? start : lanesFrom(start, type, iteration.lanes);
}

/// Whether a value is known to be the same for all lanes.
bool RowBody::isUniform(Value value) {
  return isOutside(value) || uniforms.contains(value) ||
         isa_and_nonnull<arith::ConstantOp>(value.getDefiningOp());
}

/// Such a value as a scalar.
Value RowBody::uniform(Value value) {
  if (isOutside(value)) {
    return value;
  }
  if (Value known = uniforms.lookupOrNull(value)) {
    return known;
  }
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  Value scalar =
      emitSplat(builder, loc, constant.getType(), constant.getValue());
  uniforms.map(value, scalar);
  return scalar;
}

/// A value with one element per lane: repeated if it has one per four, or one
/// for all.
Value RowBody::widened(Value value) {
  if (Value known = map.lookupOrNull(value)) {
    return known;
  }
  if (iteration.lanes == 0) {
    return value;
  }
  Value wide;
  if (Value quarter = quarters.lookupOrNull(value);
      quarter && !isOutside(value)) {
    SmallVector<int64_t> repeated;
    for (int64_t lane = 0; lane < iteration.lanes; ++lane) {
      repeated.push_back(lane / 4);
    }
    wide = vector::ShuffleOp::create(builder, loc, quarter, quarter, repeated);
  } else {
    wide = vector::BroadcastOp::create(
        builder, loc, widen(value.getType(), iteration.lanes), uniform(value));
  }
  map.map(value, wide);
  return wide;
}

/// A value with one element per four lanes. Requires: it has one, or one for
/// all.
Value RowBody::quartered(Value value) {
  if (Value known = quarters.lookupOrNull(value)) {
    return known;
  }
  auto type = VectorType::get({iteration.lanes / 4}, value.getType());
  Value quarter;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>();
      constant && !isOutside(value)) {
    quarter = emitSplat(builder, loc, type, constant.getValue());
  } else {
    quarter = vector::BroadcastOp::create(builder, loc, type, uniform(value));
  }
  quarters.map(value, quarter);
  return quarter;
}

/// (base + start) / 4, and so on.
Value RowBody::firstQuarters(Operation &shift) {
  auto place = shift.getOperand(0).getDefiningOp<arith::AddIOp>();
  Value base = place && isOutside(place.getLhs()) ? place.getLhs() : Value();
  if (!base || base.getType().isIndex()) {
    return {};
  }
  Arithmetic m(builder, loc, base.getType());
  Value start =
      IndexArithmetic(builder, loc).cast(iteration.start, base.getType());
  Value first = m.shiftRightLogical(m.add(base, start), 2);
  return lanesFrom(first, base.getType(), iteration.lanes / 4);
}

/// Integers computed of what is the same for all lanes stay scalars: else they
/// would make vectors, all of whose lanes are equal, of whatever they meet.
bool RowBody::mapUniform(Operation &inner) {
  if (inner.getNumOperands() == 0 ||
      !llvm::all_of(inner.getResultTypes(),
                    [](Type type) { return type.isIntOrIndex(); })) {
    return false;
  }
  if (!llvm::all_of(inner.getOperands(),
                    [&](Value v) { return isUniform(v); })) {
    return false;
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      inner.getOperands(), [&](Value v) { return uniform(v); });
  create(inner, operands, /*lanes=*/0, uniforms);
  return true;
}

bool RowBody::mapQuarter(Operation &inner) {
  if (inner.hasAttr(kQuarterAttr)) {
    Value first = firstQuarters(inner);
    if (first) {
      quarters.map(inner.getResult(0), first);
    }
    return static_cast<bool>(first);
  }
  auto isQuarter = [&](Value v) {
    return !isOutside(v) && quarters.contains(v);
  };
  auto isRepeated = [&](Value v) { return isUniform(v) || isQuarter(v); };
  if (isa<func::CallOp>(inner) ||
      llvm::none_of(inner.getOperands(), isQuarter) ||
      !llvm::all_of(inner.getOperands(), isRepeated)) {
    return false;
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      inner.getOperands(), [&](Value v) { return quartered(v); });
  create(inner, operands, iteration.lanes / 4, quarters);
  return true;
}

void RowBody::create(Operation &inner, ArrayRef<Value> operands, int64_t lanes,
                     IRMapping &results) {
  SmallVector<Type> types = llvm::map_to_vector(
      inner.getResultTypes(), [&](Type t) { return widen(t, lanes); });
  Operation *wide =
      builder.create(inner.getLoc(), inner.getName().getIdentifier(), operands,
                     types, inner.getAttrs());
  wide->removeAttr(kQuarterAttr);
  if (auto call = dyn_cast<func::CallOp>(wide)) {
    call.setCallee(getRoutineFor(call.getCallee(), lanes));
  }
  results.map(inner.getResults(), wide->getResults());
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

void RowBody::mapOperands(RowMemory &memory, ValueRange accumulators) {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (int64_t reduction = reductionOf(operand); reduction >= 0) {
      map.map(argument, accumulators[reduction]);
    } else if (!argument.use_empty()) {
      Value loaded = memory.load(operand);
      Type wide = widen(argument.getType(), iteration.lanes);
      map.map(argument,
              loaded.getType() == wide
                  ? loaded
                  : vector::BroadcastOp::create(builder, loc, wide, loaded));
    }
  }
}

void RowBody::mapOperation(Operation &inner) {
  bool isVector = iteration.lanes != 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(inner);
      constant && isVector) {
    Type wide = widen(constant.getType(), iteration.lanes);
    map.map(constant.getResult(),
            emitSplat(builder, loc, wide, constant.getValue()));
    return;
  }
  if (isVector && (mapUniform(inner) || mapQuarter(inner))) {
    return;
  }
  if (isa<linalg::IndexOp>(inner)) {
    // Mostly cast at once to a narrower type, in which half the vector
    // registers suffice.
    bool isOnlyCast = llvm::all_of(inner.getUsers(), [](Operation *user) {
      return isa<arith::IndexCastOp>(user);
    });
    if (!isOnlyCast) {
      map.map(inner.getResult(0), indices(builder.getIndexType()));
    }
    return;
  }
  if (isa<arith::IndexCastOp>(inner) &&
      isa_and_nonnull<linalg::IndexOp>(inner.getOperand(0).getDefiningOp())) {
    map.map(inner.getResult(0), indices(inner.getResult(0).getType()));
    return;
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      inner.getOperands(), [&](Value v) { return widened(v); });
  // A choice between two vectors takes one of them, where a vector of flags
  // would blend lane by lane.
  if (isVector && isa<arith::SelectOp>(inner) &&
      isUniform(inner.getOperand(0))) {
    operands[0] = uniform(inner.getOperand(0));
  }
  create(inner, operands, iteration.lanes, map);
}

SmallVector<Value> RowBody::emit(const RowIteration &now,
                                 ValueRange accumulators) {
  iteration = now;
  RowMemory memory(op, iteration, builder);
  map.clear();
  uniforms.clear();
  quarters.clear();
  mapOperands(memory, accumulators);
  for (Operation &inner : op.getBody()->without_terminator()) {
    mapOperation(inner);
  }
  Operation *yield = op.getBody()->getTerminator();
  SmallVector<Value> next(accumulators);
  for (OpOperand &out : op.getDpsInitsMutable()) {
    Value value = widened(
        yield->getOperand(out.getOperandNumber() - op.getNumDpsInputs()));
    if (int64_t reduction = reductionOf(out); reduction < 0) {
      memory.store(out.get(), value);
    } else if (iteration.mask) {
      next[reduction] = Arithmetic(builder, loc, value.getType())
                            .select(iteration.mask, value, next[reduction]);
    } else {
      next[reduction] = value;
    }
  }
  return next;
}
