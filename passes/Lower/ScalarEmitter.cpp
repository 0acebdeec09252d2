// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic, loops and scalars of a kernel's body.
#include "passes/Lower/ScalarEmitter.h"

#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Conversions.h"
#include "passes/Lower/ElementOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/RandomOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

ScalarEmitter::~ScalarEmitter() = default;

InFlightDiagnostic ScalarEmitter::emitError(Operation *op) {
  failed = true;
  return op->emitOpError("in kernel '") << kernel.getSymName() << "' ";
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

AffineExpr ScalarEmitter::number(int64_t value) const {
  return getAffineConstantExpr(value, builder.getContext());
}

AffineExpr ScalarEmitter::dimension(Value value) {
  const auto *known = llvm::find(dimensions, value);
  unsigned position = known - dimensions.begin();
  if (known == dimensions.end()) {
    dimensions.push_back(value);
  }
  return getAffineDimExpr(position, builder.getContext());
}

Value ScalarEmitter::materialize(AffineExpr expr) {
  if (Value known = scope.indices.lookup(expr)) {
    return known;
  }
  Value value = computeIndex(expr);
  scope.indices[expr] = value;
  return value;
}

Value ScalarEmitter::computeIndex(AffineExpr expr) {
  IndexArithmetic indices(builder, loc);
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return dimensions[dim.getPosition()];
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return indices.index(constant.getValue());
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = materialize(binary.getLHS());
  Value rhs = materialize(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return indices.add(lhs, rhs);
  case AffineExprKind::Mul:
    return indices.mul(lhs, rhs);
  case AffineExprKind::Mod:
    return indices.rem(lhs, rhs);
  default:
    assert(expr.getKind() == AffineExprKind::FloorDiv &&
           "positions are sums, products, quotients and remainders");
    return indices.div(lhs, rhs);
  }
}

AffineExpr ScalarEmitter::through(const AffineView &view,
                                  AffineExpr position) const {
  AffineExpr result = number(view.offset);
  for (size_t i = view.sizes.size(); i-- > 0;) {
    AffineExpr coordinate = i == 0 ? position : position % view.sizes[i];
    position = position.floorDiv(view.sizes[i]);
    result = result + coordinate * view.strides[i];
  }
  return result;
}

AffineExpr ScalarEmitter::through(Value value, Value root,
                                  AffineExpr position) const {
  for (const AffineView &view : getViewChain(value, root)) {
    position = through(view, position);
  }
  return position;
}

AffineExpr ScalarEmitter::coordinate(RankedTensorType type, int64_t dimension,
                                     AffineExpr position) const {
  int64_t stride = 1;
  for (int64_t size : type.getShape().drop_front(dimension + 1)) {
    stride *= size;
  }
  int64_t size = type.getDimSize(dimension);
  AffineExpr quotient = position.floorDiv(stride);
  return stride * size == type.getNumElements() ? quotient : quotient % size;
}

//===----------------------------------------------------------------------===//
// Control flow and memory
//===----------------------------------------------------------------------===//

void ScalarEmitter::forEach(Value first, Value last, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  Value stride = index(step);
  auto loop = scf::ForOp::create(builder, loc, first, last, stride);
  Scope outer = scope;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  scope = std::move(outer);
}

void ScalarEmitter::onlyIf(Value condition, llvm::function_ref<void()> body) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  Scope outer = scope;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  scope = std::move(outer);
}

/// Booleans and 8-bit codes are bytes, and floats of 16 and 8 bits their bits,
/// which arithmetic knows without a sign.
Type ScalarEmitter::storageType(Type element) {
  if (const SmallFloat *format = SmallFloat::get(element)) {
    return IntegerType::get(element.getContext(), format->getWidth());
  }
  return element.isInteger(1) || element.isUnsignedInteger(8)
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

Value ScalarEmitter::load(Value buffer, AffineExpr position, Type element) {
  Value stored =
      memref::LoadOp::create(builder, loc, buffer, materialize(position));
  return fromStorage(builder, loc, stored, element);
}

void ScalarEmitter::store(Value scalar, Value buffer, AffineExpr position,
                          const Storing &storing) {
  if (storing.adds) {
    Value there = load(buffer, position, scalar.getType());
    there = emitIfKept(builder, loc, storing, there);
    scalar = Arithmetic(builder, loc, scalar.getType()).add(there, scalar);
  }
  memref::StoreOp::create(builder, loc, toStorage(builder, loc, scalar), buffer,
                          materialize(position));
}

Value accel::emitIsReplaced(const IndexArithmetic &indices,
                            const Storing &storing) {
  if (!storing.adds) {
    return indices.constantTrue();
  }
  Value kept = storing.kept ? storing.kept : indices.constantTrue();
  return indices.isNot(kept);
}

Value accel::emitIfKept(OpBuilder &builder, Location loc,
                        const Storing &storing, Value there) {
  if (!storing.kept) {
    return there;
  }
  Arithmetic m(builder, loc, there.getType());
  return m.select(storing.kept, there, m.number(0.0));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void ScalarEmitter::setScalar(Value tensor, AffineExpr position, Value scalar) {
  scope.scalars[{tensor, getNumElements(tensor) == 1 ? number(0) : position}] =
      scalar;
}

Value ScalarEmitter::scalarAt(Value tensor, AffineExpr position) {
  if (getNumElements(tensor) == 1) {
    position = number(0);
  }
  auto known = scope.scalars.find({tensor, position});
  if (known != scope.scalars.end()) {
    return known->second;
  }
  Value scalar = computeScalar(tensor, position);
  if (scalar) {
    scope.scalars[{tensor, position}] = scalar;
  }
  return scalar;
}

Value ScalarEmitter::computeScalar(Value tensor, AffineExpr position) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    return load(getBuffer(argument), position, elementTypeOf(tensor));
  }
  Operation *op = tensor.getDefiningOp();
  if (!isViewOp(op)) {
    return computeScalarOp(op, position);
  }
  // One view at a time: a reduction or a stored value may stand anywhere in the
  // chain.
  if (isWidening(op)) {
    return computeScalarOp(op, position);
  }
  AffineExpr source =
      isa<ReshapeOp>(op) ? position : through(getAffineView(tensor), position);
  return scalarAt(op->getOperand(0), source);
}

AffineExpr ScalarEmitter::gathered(GatherOp op, AffineExpr position) {
  int64_t width =
      getNumElements(op.getResult()) / getNumElements(op.getIndices());
  Value chosen = scalarAt(op.getIndices(), position.floorDiv(width));
  if (!chosen) {
    return {};
  }
  Value &row = scope.rows[chosen];
  if (!row) {
    row = IndexArithmetic(builder, loc).cast(chosen, builder.getIndexType());
  }
  return dimension(row) * width + position % width;
}

Value ScalarEmitter::computeScalarOp(Operation *op, AffineExpr position) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case(
          [&](ConstantOp constant) { return emitConstant(builder, constant); })
      .Case([&](IotaOp iota) -> Value {
        Value at = materialize(
            coordinate(iota.getType(), iota.getDimension(), position));
        return emitIndexAs(builder, loc, at, elementTypeOf(iota));
      })
      .Case([&](GatherOp gather) -> Value {
        AffineExpr place = gathered(gather, position);
        return place ? scalarAt(gather.getTable(), place) : Value();
      })
      .Case<DropoutOp, RandomNormalOp>([&](auto random) {
        return emitRandomScalar(*this, random, position);
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>([&](auto reduction)
                                                       -> Value {
        if (getNumElements(reduction.getOperand()) ==
            getNumElements(reduction.getResult())) {
          return scalarAt(reduction.getOperand(), position);
        }
        emitError(op) << "is used before or outside the row that it reduces";
        return {};
      })
      .Default([&](Operation *elementwise) -> Value {
        SmallVector<Value> operands;
        for (Value operand : elementwise->getOperands()) {
          operands.push_back(scalarAt(operand, position));
          if (!operands.back()) {
            return {};
          }
        }
        Value scalar = emitElementOp(builder, elementwise, operands);
        if (!scalar) {
          emitError(elementwise)
              << "has no code for " << elementwise->getResult(0).getType();
        }
        return scalar;
      });
}
