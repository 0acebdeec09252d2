// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes, windows of buffers, and the linalg.generic that they become.
#include "passes/Lower/Loops/Sweep.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Conversions.h"
#include "passes/Lower/ElementOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/SweepOp.h"
#include "passes/Lower/RandomOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

Sweep::Sweep(KernelEmitter &emitter, SweepRange range)
    : emitter(emitter), range(range), loc(emitter.getLoc()),
      body(std::make_unique<Block>()), inside(emitter.getKernel().getContext()),
      windows(emitter, range) {
  inside.setInsertionPointToEnd(body.get());
}

// After an error the body is never emitted and still uses values of the
// function.
Sweep::~Sweep() {
  if (body) {
    body->dropAllReferences();
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Sweep::input(Value window, Type element) {
  Value &argument = inputs[window];
  if (!argument) {
    argument = body->addArgument(
        cast<MemRefType>(window.getType()).getElementType(), loc);
  }
  return fromStorage(inside, loc, argument, element);
}

Value Sweep::stream(Value buffer, AffineExpr first, Type element) {
  return input(windows.get(buffer, first), element);
}

Value Sweep::loadWhole(Value buffer, Type element) {
  return input(windows.getWhole(buffer), element);
}

void Sweep::store(Value lane, Value buffer, AffineExpr first,
                  const Storing &storing) {
  outputs.push_back({windows.get(buffer, first), lane, storing, std::nullopt});
}

void Sweep::storeWhole(Value lane, Value buffer, const Storing &storing) {
  outputs.push_back({windows.getWhole(buffer), lane, storing, std::nullopt});
}

void Sweep::reduce(vector::CombiningKind combination, Value lane,
                   Value accumulator) {
  outputs.push_back({accumulator, lane, Storing(), combination});
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Sweep::laneAt(Value tensor, AffineExpr first) {
  if (range.run == 1) {
    return emitter.scalarAt(tensor, first);
  }
  auto known = lanes.find({tensor, first});
  if (known != lanes.end()) {
    return known->second;
  }
  Value lane = computeLane(tensor, first);
  lanes[{tensor, first}] = lane;
  return lane;
}

Value Sweep::computeLane(Value tensor, AffineExpr first) {
  if (Value buffer = wholes.lookup(tensor)) {
    return loadWhole(buffer, elementTypeOf(tensor));
  }
  if (Value buffer = stored.lookup(tensor)) {
    return stream(buffer, first, elementTypeOf(tensor));
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    return stream(emitter.getBuffer(argument), first, elementTypeOf(tensor));
  }
  Value root = getViewRoot(tensor, [&](Value v) {
    return stored.contains(v) || wholes.contains(v);
  });
  if (root == tensor) {
    return computeOp(tensor.getDefiningOp(), first);
  }
  if (getRunLength(tensor, root, range.run) != range.run) {
    emitter.emitError(tensor.getDefiningOp())
        << "is not contiguous over the " << range.run << " elements of a run";
    return {};
  }
  AffineExpr source = emitter.through(tensor, root, first);
  Value lane = getRunStride(tensor, root) == 0 ? emitter.scalarAt(root, source)
                                               : laneAt(root, source);
  return lane ? widen(lane, elementTypeOf(root), elementTypeOf(tensor))
              : Value();
}

/// What is the same in all lanes is widened outside the loop.
Value Sweep::widen(Value lane, Type from, Type to) {
  return emitElementCast(isUniform(lane) ? emitter.getBuilder() : inside, loc,
                         lane, from, to, /*saturates=*/false);
}

Value Sweep::computeOp(Operation *op, AffineExpr first) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case(
          [&](ConstantOp) { return emitter.scalarAt(op->getResult(0), first); })
      .Case([&](IotaOp iota) { return computeIota(iota, first); })
      .Case([&](GatherOp gather) { return computeGather(gather, first); })
      .Case([&](DropoutOp dropout) -> Value {
        Value operand = laneAt(dropout.getOperand(), first);
        return operand ? computeRandom(dropout, operand, first) : Value();
      })
      .Case([&](RandomNormalOp normal) {
        return computeRandom(normal, Value(), first);
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>([&](auto) -> Value {
        // A row's result is one scalar for all its elements and is reached
        // through a broadcast.
        emitter.emitError(op)
            << "is used element by element in the loop that computes it";
        return {};
      })
      .Default([&](Operation *) { return computeElement(op, first); });
}

Value Sweep::computeElement(Operation *op, AffineExpr first) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(laneAt(operand, first));
    if (!operands.back()) {
      return {};
    }
  }
  bool areUniform =
      llvm::all_of(operands, [&](Value v) { return isUniform(v); });
  Value lane =
      emitElementOp(areUniform ? emitter.getBuilder() : inside, op, operands);
  if (!lane) {
    emitter.emitError(op) << "has no code for " << op->getResult(0).getType();
  }
  return lane;
}

Value Sweep::place(AffineExpr first, Type type) {
  IndexArithmetic outer(emitter.getBuilder(), loc);
  Value base = outer.cast(windows.getPlace(first), type);
  Value step = linalg::IndexOp::create(inside, loc, 0);
  step = IndexArithmetic(inside, loc).cast(step, type);
  return Arithmetic(inside, loc, type).add(base, step);
}

Value Sweep::computeIota(IotaOp op, AffineExpr first) {
  RankedTensorType type = op.getType();
  Type element = type.getElementType();
  Type integer = element.isInteger(32) ? element : inside.getI64Type();
  int64_t size = type.getDimSize(op.getDimension());
  int64_t stride = 1;
  for (int64_t inner : type.getShape().drop_front(op.getDimension() + 1)) {
    stride *= inner;
  }
  if (stride % range.run == 0) {
    return emitter.scalarAt(op.getResult(), first);
  }
  if (stride == 1 && (size % range.run == 0 || size == type.getNumElements())) {
    return emitCast(
        inside, loc,
        place(emitter.coordinate(type, op.getDimension(), first), integer),
        element);
  }
  // The run goes over the end of the dimension.
  Arithmetic numbers(inside, loc, inside.getI64Type());
  IndexArithmetic indices(inside, loc);
  Value quotient =
      indices.div(place(first, inside.getI64Type()), numbers.integer(stride));
  return emitCast(inside, loc, indices.rem(quotient, numbers.integer(size)),
                  element);
}

Value Sweep::computeGather(GatherOp op, AffineExpr first) {
  int64_t width =
      getNumElements(op.getResult()) / getNumElements(op.getIndices());
  if (width % range.run != 0) {
    emitter.emitError(op) << "gathers rows of " << width
                          << " elements, which runs of " << range.run
                          << " do not divide";
    return {};
  }
  AffineExpr source = emitter.gathered(op, first);
  return source ? laneAt(op.getTable(), source) : Value();
}

template <typename OpTy>
Value Sweep::computeRandom(OpTy op, Value operand, AffineExpr first) {
  RandomElement element(emitter, op, first);
  if (!element.isValid()) {
    return {};
  }
  bool startsBlock = (!range.inner || range.startsInFours) &&
                     element.getFirst().isMultipleOf(4);
  return element.build(inside,
                       place(element.getFirst(), element.getPlaceType()),
                       operand, startsBlock);
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// What an output becomes when `current` is there.
Value Sweep::combine(const Output &output, Value current) {
  if (output.combination) {
    return vector::makeArithReduction(inside, loc, *output.combination, current,
                                      output.lane);
  }
  if (!output.storing.adds) {
    return toStorage(inside, loc, output.lane);
  }
  Value there = emitIfKept(inside, loc, output.storing, current);
  return Arithmetic(inside, loc, current.getType()).add(there, output.lane);
}

void Sweep::finish() {
  if (outputs.empty() || emitter.hasFailed()) {
    return;
  }
  MLIRContext *context = inside.getContext();
  AffineMap streamed = AffineMap::getMultiDimIdentityMap(1, context);
  AffineMap single = AffineMap::get(1, 0, context);
  bool isReduction = llvm::any_of(
      outputs, [](const Output &o) { return o.combination.has_value(); });
  bool isShaped = !inputs.empty() || llvm::any_of(outputs, [](const Output &o) {
    return !o.combination;
  });
  if (!isShaped) {
    Value shape = windows.getShape();
    inputs[shape] = body->addArgument(
        cast<MemRefType>(shape.getType()).getElementType(), loc);
  }
  SmallVector<Value> ins, outs, results;
  SmallVector<AffineMap> maps(inputs.size(), streamed);
  for (auto &[window, argument] : inputs) {
    ins.push_back(window);
  }
  for (const Output &output : outputs) {
    Type element = cast<MemRefType>(output.buffer.getType()).getElementType();
    results.push_back(combine(output, body->addArgument(element, loc)));
    outs.push_back(output.buffer);
    maps.push_back(output.combination ? single : streamed);
  }
  linalg::YieldOp::create(inside, loc, results);
  auto kind = isReduction ? utils::IteratorType::reduction
                          : utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(emitter.getBuilder(), loc, ins, outs,
                                           maps, kind);
  generic.getRegion().push_back(body.release());
  if (range.divisor > 1) {
    generic->setAttr(kDivisorAttr, inside.getI64IntegerAttr(range.divisor));
  }
  if (range.isFar) {
    generic->setAttr(kFarAttr, inside.getUnitAttr());
  }
}
