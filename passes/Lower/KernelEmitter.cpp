// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers, index arithmetic, loops and scalars of a kernel's code.
#include "passes/Lower/KernelEmitter.h"

#include "passes/Lower/ElementOps.h"
#include "passes/Lower/RandomOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Booleans and 8-bit codes are bytes, which arithmetic knows without a sign.
static Type storageTypeOf(Type element) {
  return element.isInteger(1) || element.isUnsignedInteger(8)
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

static MemRefType bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get({type.getNumElements()},
                         storageTypeOf(type.getElementType()));
}

KernelEmitter::KernelEmitter(func::FuncOp kernel, const IterationDomain &domain,
                             plan::CodeAttr geometry)
    : kernel(kernel), domain(domain), geometry(geometry), loc(kernel.getLoc()),
      builder(kernel.getContext()) {
  SmallVector<Type> types = llvm::map_to_vector(
      kernel.getArgumentTypes(), [](Type t) -> Type { return bufferType(t); });
  llvm::append_range(types,
                     llvm::map_range(kernel.getResultTypes(), bufferType));
  if (int64_t bytes = geometry.getWorkspace()) {
    types.push_back(MemRefType::get({bytes / 4}, builder.getF32Type()));
  }
  types.append(2, builder.getIndexType());
  builder.setInsertionPointAfter(kernel);
  code = func::FuncOp::create(builder, loc,
                              (kernel.getSymName() + kCodeSuffix).str(),
                              builder.getFunctionType(types, {}));
  Block *block = code.addEntryBlock();
  end = block->getArguments().back();
  begin = block->getArguments().drop_back().back();
  builder.setInsertionPointToEnd(block);
}

void KernelEmitter::finish() { func::ReturnOp::create(builder, loc); }

ValueRange KernelEmitter::getResults() {
  return kernel.getBody().front().getTerminator()->getOperands();
}

Value KernelEmitter::getResultBuffer(unsigned result) {
  return code.getArgument(kernel.getNumArguments() + result);
}

Value KernelEmitter::getWorkspace() {
  assert(geometry.getWorkspace() > 0 && "the kernel has no workspace");
  return code.getArgument(kernel.getNumArguments() + kernel.getNumResults());
}

Storing KernelEmitter::getStoring(unsigned result) {
  BlockArgument argument = getKeepArgument(kernel, result);
  if (!argument) {
    return {isAccumulated(kernel, result), Value()};
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&code.getBody().front());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value stored =
      memref::LoadOp::create(builder, loc, getBuffer(argument), zero);
  return {true, fromStorage(builder, loc, stored, builder.getI1Type())};
}

Value KernelEmitter::getBuffer(BlockArgument argument) {
  return code.getArgument(argument.getArgNumber());
}

Value KernelEmitter::getContiguous(Operation *op, Value operand,
                                   int64_t &offset) {
  Value root = getViewRoot(operand, [](Value) { return false; });
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isContiguousPart(operand, root, offset)) {
    emitError(op) << "expected operands that lie in memory, got one of "
                  << operand.getType() << " that does not";
    return {};
  }
  return getBuffer(argument);
}

InFlightDiagnostic KernelEmitter::emitError(Operation *op) {
  failed = true;
  return op->emitOpError("in kernel '") << kernel.getSymName() << "' ";
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

AffineExpr KernelEmitter::number(int64_t value) const {
  return getAffineConstantExpr(value, builder.getContext());
}

AffineExpr KernelEmitter::dimension(Value value) {
  const auto *known = llvm::find(dimensions, value);
  unsigned position = known - dimensions.begin();
  if (known == dimensions.end()) {
    dimensions.push_back(value);
  }
  return getAffineDimExpr(position, builder.getContext());
}

Value KernelEmitter::materialize(AffineExpr expr) {
  if (Value known = scope.indices.lookup(expr)) {
    return known;
  }
  Value value = computeIndex(expr);
  scope.indices[expr] = value;
  return value;
}

Value KernelEmitter::computeIndex(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return dimensions[dim.getPosition()];
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = materialize(binary.getLHS());
  Value rhs = materialize(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  default:
    assert(expr.getKind() == AffineExprKind::FloorDiv &&
           "positions are sums, products, quotients and remainders");
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
}

AffineExpr KernelEmitter::through(const AffineView &view,
                                  AffineExpr position) const {
  AffineExpr result = number(view.offset);
  for (size_t i = view.sizes.size(); i-- > 0;) {
    AffineExpr coordinate = i == 0 ? position : position % view.sizes[i];
    position = position.floorDiv(view.sizes[i]);
    result = result + coordinate * view.strides[i];
  }
  return result;
}

AffineExpr KernelEmitter::through(Value value, Value root,
                                  AffineExpr position) const {
  for (const AffineView &view : getViewChain(value, root)) {
    position = through(view, position);
  }
  return position;
}

AffineExpr KernelEmitter::coordinate(RankedTensorType type, int64_t dimension,
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

void KernelEmitter::forEach(Value first, Value last, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  Value stride = index(step);
  auto loop = scf::ForOp::create(builder, loc, first, last, stride);
  Scope outer = scope;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  scope = std::move(outer);
}

void KernelEmitter::onlyIf(Value condition, llvm::function_ref<void()> body) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  Scope outer = scope;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  scope = std::move(outer);
}

Type KernelEmitter::storageType(Type element) const {
  return storageTypeOf(element);
}

Value KernelEmitter::allocate(Type element, ArrayRef<int64_t> size) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&code.getBody().front());
  return memref::AllocaOp::create(builder, loc,
                                  MemRefType::get(size, storageType(element)));
}

Value KernelEmitter::load(Value buffer, AffineExpr position, Type element) {
  Value stored =
      memref::LoadOp::create(builder, loc, buffer, materialize(position));
  return fromStorage(builder, loc, stored, element);
}

void KernelEmitter::store(Value scalar, Value buffer, AffineExpr position,
                          const Storing &storing) {
  if (storing.adds) {
    Value there = load(buffer, position, scalar.getType());
    scalar =
        emitSum(builder, loc, emitIfKept(builder, loc, storing, there), scalar);
  }
  memref::StoreOp::create(builder, loc, toStorage(builder, loc, scalar), buffer,
                          materialize(position));
}

Value accel::emitIfKept(OpBuilder &builder, Location loc,
                        const Storing &storing, Value there) {
  if (!storing.kept) {
    return there;
  }
  Value zero = emitNumber(builder, loc, there.getType(), 0.0);
  return arith::SelectOp::create(builder, loc, storing.kept, there, zero);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void KernelEmitter::setScalar(Value tensor, AffineExpr position, Value scalar) {
  scope.scalars[{tensor, getNumElements(tensor) == 1 ? number(0) : position}] =
      scalar;
}

Value KernelEmitter::scalarAt(Value tensor, AffineExpr position) {
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

Value KernelEmitter::computeScalar(Value tensor, AffineExpr position) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    return load(getBuffer(argument), position, elementTypeOf(tensor));
  }
  Operation *op = tensor.getDefiningOp();
  if (!isViewOp(op)) {
    return computeScalarOp(op, position);
  }
  // One view at a time: a reduction or a stored value may stand anywhere in the
  // chain.
  AffineExpr source =
      isa<ReshapeOp>(op) ? position : through(getAffineView(tensor), position);
  return scalarAt(op->getOperand(0), source);
}

AffineExpr KernelEmitter::gathered(GatherOp op, AffineExpr position) {
  int64_t width =
      getNumElements(op.getResult()) / getNumElements(op.getIndices());
  Value chosen = scalarAt(op.getIndices(), position.floorDiv(width));
  if (!chosen) {
    return {};
  }
  Value &row = scope.rows[chosen];
  if (!row) {
    row = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     chosen);
  }
  return dimension(row) * width + position % width;
}

Value KernelEmitter::computeScalarOp(Operation *op, AffineExpr position) {
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
