// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-dimensional linalg.generics over buffers become loops of wide vectors with one masked tail. The order of every
// reduction is fixed here, not by a target's cost model.
//
//   linalg.generic over n elements  -->  scf.for %j = 0 to n / 64 * 64 step 64: vector.load, arith on vectors, vector.store
//                                        the rest: masked loads and stores
//                                        the lanes of an accumulator, combined by halves
#include "passes/Lower/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <optional>

namespace accel {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "passes/Lower/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Least number of lanes: below it a vector register is not full.
constexpr int64_t kFewestLanes = 16;

struct Reduction {
  OpOperand *accumulator;
  vector::CombiningKind kind;
  unsigned result; ///< of the body
};

/// What differs between an iteration over full vectors, the tail and a single element.
struct Iteration {
  int64_t lanes; ///< 0: scalar
  Value start;   ///< index of the first element
  Value count;   ///< of elements in the tail; null: all lanes
  Value mask;    ///< of the tail
};

/// Rewrites one operation.
class RowVectorizer {
public:
  RowVectorizer(linalg::GenericOp op, int64_t lanes)
      : op(op), loc(op.getLoc()), builder(op), body(op.getBody()),
        yield(cast<linalg::YieldOp>(body->getTerminator())), lanes(lanes) {}

  LogicalResult run();

private:
  LogicalResult checkForm();
  LogicalResult findReductions();
  Value findSize();
  void emitScalar();
  SmallVector<Value> emitLoop(Value mainSize);
  SmallVector<Value> emitTail(Value size, Value mainSize, SmallVector<Value> accumulators);
  SmallVector<Value> emitBody(const Iteration &iteration, ValueRange accumulators);
  void mapOperands(const Iteration &iteration, ValueRange accumulators, IRMapping &map);
  void mapOperation(const Iteration &iteration, Operation &inner, IRMapping &map);
  Value widened(const Iteration &iteration, Value value, IRMapping &map);
  Value load(const Iteration &iteration, OpOperand &operand);
  Value loadStaged(const Iteration &iteration, Value buffer, VectorType type);
  void store(const Iteration &iteration, Value buffer, Value value);
  Value lanesOf(const Iteration &iteration, Type type);
  Value stage(VectorType type);
  void copy(const Iteration &iteration, Value from, bool fromStage, Value to);
  Value combineLanes(vector::CombiningKind kind, Value vector);
  void storeAccumulators(ValueRange accumulators);

  bool isSingle(OpOperand &operand) { return op.getMatchingIndexingMap(&operand).getNumResults() == 0; }
  int64_t reductionOf(OpOperand &operand) const {
    auto *found = llvm::find_if(reductions, [&](const Reduction &r) { return r.accumulator == &operand; });
    return found == reductions.end() ? -1 : found - reductions.begin();
  }
  static Type widen(const Iteration &iteration, Type type) {
    return iteration.lanes == 0 ? type : VectorType::get({iteration.lanes}, type);
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  linalg::GenericOp op;
  Location loc;
  OpBuilder builder;
  Block *body;
  linalg::YieldOp yield;
  int64_t lanes;
  SmallVector<Reduction> reductions;
};

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

LogicalResult RowVectorizer::checkForm() {
  if (op.getNumLoops() != 1 || !op.hasPureBufferSemantics()) {
    return op.emitOpError("expected one loop over buffers");
  }
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isIdentity() && map.getNumResults() != 0) {
      return op.emitOpError("expected operands mapped by (j) -> (j) or (j) -> (), got ") << AffineMapAttr::get(map);
    }
  }
  return success();
}

LogicalResult RowVectorizer::findReductions() {
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (!isSingle(out)) {
      continue;
    }
    unsigned number = out.getOperandNumber() - op.getNumDpsInputs();
    SmallVector<Operation *> combiners;
    bool isKnown = matchReduction(op.getRegionOutputArgs(), number, combiners) && combiners.size() == 1;
    auto kind = isKnown ? linalg::getCombinerOpKind(combiners[0]) : std::nullopt;
    if (!kind) {
      return op.emitOpError("expected results mapped by (j) -> () to be sums, products, maxima or minima");
    }
    reductions.push_back({&out, *kind, number});
  }
  return success();
}

/// The trip count is that of the first streamed operand.
Value RowVectorizer::findSize() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isSingle(operand)) {
      return builder.createOrFold<memref::DimOp>(loc, operand.get(), 0);
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A buffer of one vector, declared at the function's entry.
Value RowVectorizer::stage(VectorType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
}

/// Copies the elements of a tail one by one, from or to a buffer of one vector.
void RowVectorizer::copy(const Iteration &iteration, Value from, bool fromStage, Value to) {
  scf::ForOp::create(builder, loc, index(0), iteration.count, index(1), ValueRange(),
                     [&](OpBuilder &b, Location loc, Value i, ValueRange) {
                       Value place = arith::AddIOp::create(b, loc, iteration.start, i);
                       Value element = memref::LoadOp::create(b, loc, from, fromStage ? i : place);
                       memref::StoreOp::create(b, loc, element, to, fromStage ? place : i);
                       scf::YieldOp::create(b, loc);
                     });
}

// AVX2 has no masked access to bytes: masked loads and stores would become a branch per element.
static bool needsStage(const Iteration &iteration, Type element) {
  return iteration.mask && element.getIntOrFloatBitWidth() < 32;
}

Value RowVectorizer::loadStaged(const Iteration &iteration, Value buffer, VectorType type) {
  Value staged = stage(type);
  Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  vector::StoreOp::create(builder, loc, zeros, staged, ValueRange{index(0)});
  copy(iteration, buffer, /*fromStage=*/false, staged);
  return vector::LoadOp::create(builder, loc, type, staged, ValueRange{index(0)});
}

Value RowVectorizer::load(const Iteration &iteration, OpOperand &operand) {
  Value buffer = operand.get();
  Type element = getElementTypeOrSelf(buffer.getType());
  if (isSingle(operand)) {
    return memref::LoadOp::create(builder, loc, buffer, ValueRange());
  }
  if (iteration.lanes == 0) {
    return memref::LoadOp::create(builder, loc, buffer, iteration.start);
  }
  auto type = VectorType::get({iteration.lanes}, element);
  if (needsStage(iteration, element)) {
    return loadStaged(iteration, buffer, type);
  }
  if (iteration.mask) {
    Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return vector::MaskedLoadOp::create(builder, loc, type, buffer, iteration.start, iteration.mask, zeros);
  }
  return vector::LoadOp::create(builder, loc, type, buffer, iteration.start);
}

void RowVectorizer::store(const Iteration &iteration, Value buffer, Value value) {
  if (iteration.lanes == 0) {
    memref::StoreOp::create(builder, loc, value, buffer, iteration.start);
  } else if (needsStage(iteration, getElementTypeOrSelf(value.getType()))) {
    Value staged = stage(cast<VectorType>(value.getType()));
    vector::StoreOp::create(builder, loc, value, staged, ValueRange{index(0)});
    copy(iteration, staged, /*fromStage=*/true, buffer);
  } else if (iteration.mask) {
    vector::MaskedStoreOp::create(builder, loc, buffer, iteration.start, iteration.mask, value);
  } else {
    vector::StoreOp::create(builder, loc, value, buffer, iteration.start);
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// A scalar of the surroundings in every lane.
Value RowVectorizer::widened(const Iteration &iteration, Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value)) {
    return known;
  }
  if (iteration.lanes != 0) {
    Value wide = vector::BroadcastOp::create(builder, loc, widen(iteration, value.getType()), value);
    map.map(value, wide);
    return wide;
  }
  return value;
}

/// The index of every lane, in numbers of `type`.
Value RowVectorizer::lanesOf(const Iteration &iteration, Type type) {
  Value start = iteration.start;
  if (!type.isIndex()) {
    start = arith::IndexCastOp::create(builder, loc, type, start);
  }
  if (iteration.lanes == 0) {
    return start;
  }
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < iteration.lanes; ++lane) {
    numbers.push_back(builder.getIntegerAttr(type, lane));
  }
  auto wide = VectorType::get({iteration.lanes}, type);
  Value offsets = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(wide, numbers));
  return arith::AddIOp::create(builder, loc, vector::BroadcastOp::create(builder, loc, wide, start), offsets);
}

void RowVectorizer::mapOperands(const Iteration &iteration, ValueRange accumulators, IRMapping &map) {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (int64_t reduction = reductionOf(operand); reduction >= 0) {
      map.map(argument, accumulators[reduction]);
    } else if (!argument.use_empty()) {
      Value loaded = load(iteration, operand);
      Type wide = widen(iteration, argument.getType());
      map.map(argument, loaded.getType() == wide ? loaded : vector::BroadcastOp::create(builder, loc, wide, loaded));
    }
  }
}

void RowVectorizer::mapOperation(const Iteration &iteration, Operation &inner, IRMapping &map) {
  if (auto constant = dyn_cast<arith::ConstantOp>(inner); constant && iteration.lanes != 0) {
    auto wide = cast<VectorType>(widen(iteration, constant.getType()));
    map.map(constant.getResult(),
            arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(wide, constant.getValue())));
    return;
  }
  if (isa<linalg::IndexOp>(inner)) {
    // Mostly cast at once to a narrower type, in which half the vector registers suffice.
    bool isOnlyCast = llvm::all_of(inner.getUsers(), [](Operation *user) { return isa<arith::IndexCastOp>(user); });
    if (!isOnlyCast) {
      map.map(inner.getResult(0), lanesOf(iteration, builder.getIndexType()));
    }
    return;
  }
  if (isa<arith::IndexCastOp>(inner) && isa_and_nonnull<linalg::IndexOp>(inner.getOperand(0).getDefiningOp())) {
    map.map(inner.getResult(0), lanesOf(iteration, inner.getResult(0).getType()));
    return;
  }
  SmallVector<Value> operands =
      llvm::map_to_vector(inner.getOperands(), [&](Value v) { return widened(iteration, v, map); });
  SmallVector<Type> types =
      llvm::map_to_vector(inner.getResultTypes(), [&](Type t) { return widen(iteration, t); });
  Operation *wide = builder.create(inner.getLoc(), inner.getName().getIdentifier(), operands, types, inner.getAttrs());
  map.map(inner.getResults(), wide->getResults());
}

SmallVector<Value> RowVectorizer::emitBody(const Iteration &iteration, ValueRange accumulators) {
  IRMapping map;
  mapOperands(iteration, accumulators, map);
  for (Operation &inner : body->without_terminator()) {
    mapOperation(iteration, inner, map);
  }
  SmallVector<Value> next(accumulators);
  for (OpOperand &out : op.getDpsInitsMutable()) {
    unsigned number = out.getOperandNumber() - op.getNumDpsInputs();
    Value value = widened(iteration, yield.getOperand(number), map);
    if (int64_t reduction = reductionOf(out); reduction < 0) {
      store(iteration, out.get(), value);
    } else if (iteration.mask) {
      next[reduction] = arith::SelectOp::create(builder, loc, iteration.mask, value, next[reduction]);
    } else {
      next[reduction] = value;
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static TypedAttr neutralOf(vector::CombiningKind kind, Type element, OpBuilder &builder) {
  using K = vector::CombiningKind;
  bool isMaximum = kind == K::MAXNUMF || kind == K::MAXIMUMF || kind == K::MAXSI;
  bool isMinimum = kind == K::MINNUMF || kind == K::MINIMUMF || kind == K::MINSI;
  if (!isMaximum && !isMinimum) {
    return kind == K::MUL ? builder.getOneAttr(element) : builder.getZeroAttr(element);
  }
  if (auto type = dyn_cast<FloatType>(element)) {
    return builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMaximum));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element, isMaximum ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

SmallVector<Value> RowVectorizer::emitLoop(Value mainSize) {
  SmallVector<Value> initial;
  for (const Reduction &reduction : reductions) {
    auto type = VectorType::get({lanes}, getElementTypeOrSelf(reduction.accumulator->get().getType()));
    TypedAttr neutral = neutralOf(reduction.kind, type.getElementType(), builder);
    initial.push_back(arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(type, neutral)));
  }
  if (getConstantIntValue(mainSize) == 0) {
    return initial;
  }
  auto loop = scf::ForOp::create(builder, loc, index(0), mainSize, index(lanes), initial,
                                 [&](OpBuilder &nested, Location, Value start, ValueRange accumulators) {
                                   OpBuilder::InsertionGuard guard(builder);
                                   builder.restoreInsertionPoint(nested.saveInsertionPoint());
                                   SmallVector<Value> next = emitBody({lanes, start, Value(), Value()}, accumulators);
                                   scf::YieldOp::create(builder, loc, next);
                                 });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> RowVectorizer::emitTail(Value size, Value mainSize, SmallVector<Value> accumulators) {
  Value rest = builder.createOrFold<arith::SubIOp>(loc, size, mainSize);
  std::optional<int64_t> known = getConstantIntValue(rest);
  int64_t tailLanes = lanes;
  if (known && reductions.empty()) {
    tailLanes = std::min<int64_t>(lanes, std::max<int64_t>(kFewestLanes, llvm::PowerOf2Ceil(*known)));
  }
  bool isFull = known == tailLanes;
  Value mask;
  if (!isFull) {
    auto type = VectorType::get({tailLanes}, builder.getI1Type());
    mask = vector::CreateMaskOp::create(builder, loc, type, rest);
  }
  return emitBody({tailLanes, mainSize, isFull ? Value() : rest, mask}, accumulators);
}

/// The lanes of `vector` combined by halves: first the upper half onto the lower, and so on.
Value RowVectorizer::combineLanes(vector::CombiningKind kind, Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  while (count > 1) {
    count /= 2;
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{first},
                                                   ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
    };
    Value low = half(0);
    vector = vector::makeArithReduction(builder, loc, kind, low, half(count));
  }
  return vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
}

void RowVectorizer::storeAccumulators(ValueRange accumulators) {
  for (auto [reduction, lanesOfSum] : llvm::zip_equal(reductions, accumulators)) {
    Value buffer = reduction.accumulator->get();
    Value before = memref::LoadOp::create(builder, loc, buffer, ValueRange());
    Value total = vector::makeArithReduction(builder, loc, reduction.kind, before,
                                             combineLanes(reduction.kind, lanesOfSum));
    memref::StoreOp::create(builder, loc, total, buffer, ValueRange());
  }
}

void RowVectorizer::emitScalar() {
  SmallVector<Value> accumulators;
  for (const Reduction &reduction : reductions) {
    accumulators.push_back(memref::LoadOp::create(builder, loc, reduction.accumulator->get(), ValueRange()));
  }
  accumulators = emitBody({0, index(0), Value(), Value()}, accumulators);
  for (auto [reduction, total] : llvm::zip_equal(reductions, accumulators)) {
    memref::StoreOp::create(builder, loc, total, reduction.accumulator->get(), ValueRange());
  }
}

LogicalResult RowVectorizer::run() {
  if (failed(checkForm()) || failed(findReductions())) {
    return failure();
  }
  Value size = findSize();
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known == 1) {
    emitScalar();
    op.erase();
    return success();
  }
  Value mainSize;
  if (known) {
    lanes = std::min<int64_t>(lanes, std::max<int64_t>(kFewestLanes, llvm::PowerOf2Ceil(*known)));
    mainSize = index(*known / lanes * lanes);
  } else {
    Value rest = arith::RemUIOp::create(builder, loc, size, index(lanes));
    mainSize = arith::SubIOp::create(builder, loc, size, rest);
  }
  SmallVector<Value> accumulators = emitLoop(mainSize);
  if (known && *known % lanes != 0) {
    accumulators = emitTail(size, mainSize, accumulators);
  } else if (!known) {
    Value hasTail = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, mainSize, size);
    SmallVector<Type> types = llvm::map_to_vector(accumulators, [](Value v) { return v.getType(); });
    auto branch = scf::IfOp::create(builder, loc, types, hasTail, /*withElseRegion=*/!types.empty());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> next = emitTail(size, mainSize, accumulators);
    if (!types.empty()) {
      scf::YieldOp::create(builder, loc, next);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, accumulators);
    }
    accumulators = branch.getResults();
  }
  builder.setInsertionPoint(op);
  storeAccumulators(accumulators);
  op.erase();
  return success();
}

class VectorizeRowsPass : public accel::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
public:
  using VectorizeRowsPassBase::VectorizeRowsPassBase;

  void runOnOperation() override {
    if (lanes < kFewestLanes || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("expected a power of two of at least ") << kFewestLanes << " as lanes, got " << lanes;
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (failed(RowVectorizer(op, lanes).run())) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
