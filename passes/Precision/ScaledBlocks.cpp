// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks are rows of a tensor with one more dimension.
#include "passes/Precision/ScaledBlocks.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Precision/PrecisionSites.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Whether result `index` of `split` begins at a multiple of `block`.
static bool beginsWithBlock(SplitOp split, unsigned index, int64_t block) {
  int64_t offset = 0;
  for (Value part : split.getResults().take_front(index)) {
    offset += shapeOf(part)[split.getAxis()];
  }
  return offset % block == 0;
}

/// Whether the view `value` of a matrix has the blocks of that, as they are or
/// transposed.
static bool keepsBlocks(Value value, int64_t block) {
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case([](TransposeOp) { return true; })
      .Case([&](SliceOp slice) {
        return llvm::all_of(
                   slice.getOffsets(),
                   [&](int64_t offset) { return offset % block == 0; }) &&
               llvm::all_of(slice.getStrides(),
                            [](int64_t stride) { return stride == 1; });
      })
      .Case([&](SplitOp split) {
        return beginsWithBlock(split, cast<OpResult>(value).getResultNumber(),
                               block);
      })
      .Default([](Operation *) { return false; });
}

std::string accel::findCutBlocks(Value value, int64_t block) {
  ReadOp read = getParameterRead(value);
  if (!read) {
    return "";
  }
  StringRef name = read.getSymbol();
  ArrayRef<int64_t> shape = shapeOf(read.getResult());
  if (shape.size() != 2) {
    return llvm::formatv("parameter '{0}' is no matrix", name).str();
  }
  if (shape[1] % kFp8RowMultiple != 0) {
    return llvm::formatv("parameter '{0}' has rows of {1}, which is no "
                         "multiple of {2}",
                         name, shape[1], kFp8RowMultiple)
        .str();
  }
  for (; value != read.getResult();
       value = value.getDefiningOp()->getOperand(0)) {
    if (!keepsBlocks(value, block)) {
      return llvm::formatv("parameter '{0}' is read otherwise than in squares "
                           "of {1} x {1}",
                           name, block)
          .str();
    }
  }
  return "";
}

int64_t ScaledBlocks::countScales(RankedTensorType type) const {
  return countSquares(type, block);
}

void ScaledBlocks::setParameter(ArithmeticBuilder &b, ReadOp read,
                                const Fp8Parameter &parameter) {
  auto type = cast<RankedTensorType>(read.getType());
  Value own =
      buildPart(b, parameter.inverses, parameter.first, countScales(type));
  Value inverses =
      b.cast(own, Float8E8M0FNUType::get(b.getBuilder().getContext()));
  parameters[read] = {parameter.numbers, buildRepeated(b, inverses, block,
                                                       block, type.getShape())};
}

/// What `views` of a parameter make of `source`; the last one first.
static Value cloneViews(ArrayRef<OpResult> views, Value source) {
  for (OpResult view : llvm::reverse(views)) {
    source =
        cloneView(view.getOwner(), source)->getResult(view.getResultNumber());
  }
  return source;
}

/// Numbers are viewed as they were; so are scales, one for each number, of
/// which each block has its first one.
ScaledBlocks::Operand ScaledBlocks::view(Value value, ReadOp read,
                                         bool isSummedLast) const {
  SmallVector<OpResult> views;
  for (Value each = value; each != read.getResult();
       each = each.getDefiningOp()->getOperand(0)) {
    views.push_back(cast<OpResult>(each));
  }
  const Repeated &parameter = parameters.find(read)->second;
  Value scales = cloneViews(views, parameter.inverses);
  Value numbers = cloneViews(views, parameter.numbers);

  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(scales);
  ArithmeticBuilder b(builder, value.getLoc());
  auto type = cast<RankedTensorType>(scales.getType());
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<int64_t> strides{1, 1};
  unsigned summed = isSummedLast ? 1 : 0;
  sizes[summed] = llvm::divideCeil(sizes[summed], block);
  strides[summed] = block;
  Value firsts = b.create<SliceOp>(type.clone(sizes), scales,
                                   ArrayRef<int64_t>{0, 0}, strides);
  return {numbers, firsts, isSummedLast};
}

//===----------------------------------------------------------------------===//
// What microbatches compute
//===----------------------------------------------------------------------===//

/// What `value` of f32 was widened from, under the views behind that; null if
/// it was not.
static Value findNarrow(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto wide = dyn_cast_or_null<CastOp>(op)) {
    return wide.getOperand();
  }
  Value source = isStoredView(op) ? findNarrow(op->getOperand(0)) : Value();
  return source ? cloneView(op, source)
                      ->getResult(cast<OpResult>(value).getResultNumber())
                : Value();
}

/// `value` with its last two dimensions swapped. Moved is what is stored, once:
/// it is read for the magnitudes and for the numbers.
static Value moveNarrow(ArithmeticBuilder &b, Value value) {
  Value narrow = findNarrow(value);
  Value moved = buildTransposed(b, narrow ? narrow : value);
  return b.cast(moved, elementTypeOf(value));
}

/// Zeros behind the last element change no maximum. The summed index is always
/// the last dimension.
ScaledBlocks::Operand ScaledBlocks::cut(Value value, Type element,
                                        bool isSummedLast) const {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  ArithmeticBuilder b(builder, value.getLoc());
  Value rows = isSummedLast ? value : moveNarrow(b, value);
  int64_t size = shapeOf(rows).back();
  int64_t vectors = shapeOf(rows).drop_back().back();
  Value padded = buildPadded(b, rows, /*rows=*/1, block);
  SmallVector<int64_t> shape(shapeOf(padded));
  SmallVector<int64_t> inBlocks(shape);
  inBlocks.back() /= block;
  inBlocks.push_back(block);
  Value blocks = b.reshape(padded, inBlocks);
  SmallVector<int64_t> last{static_cast<int64_t>(shape.size())};
  Value amax = b.create<ReduceMaxOp>(b.abs(blocks), last);
  Value inverses = buildBlockInverse(b, amax, element);
  Value scales = buildInverseScale(b, b.cast(inverses, elementTypeOf(value)));
  Value scaled = b.mul(blocks, b.spread(scales, blocks, last));
  Value numbers = b.reshape(b.cast(scaled, element), shape);
  return {buildFirst(b, numbers, vectors, size), inverses,
          /*isSummedLast=*/true};
}

/// Swaps the last two dimensions, and no other.
static bool isMatrixTranspose(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  return transpose &&
         transpose.getPermutation() ==
             ArrayRef(getMatrixTranspose(transpose.getPermutation().size()));
}

/// A tensor and its transpose have the same blocks.
ScaledBlocks::Operand ScaledBlocks::get(Value value, Type element,
                                        bool isSummedLast) {
  ReadOp read = getParameterRead(value);
  while (!read && isMatrixTranspose(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
    isSummedLast = !isSummedLast;
  }
  auto [found, isNew] = known.try_emplace({value, element, isSummedLast});
  if (isNew) {
    found->second = read ? view(value, read, isSummedLast)
                         : cut(value, element, isSummedLast);
  }
  return found->second;
}

Value ScaledBlocks::multiply(ArithmeticBuilder &b, MatmulOp product, Type lhs,
                             Type rhs) {
  Operand left = get(product.getLhs(), lhs, !product.getTransposeLhs());
  Operand right = get(product.getRhs(), rhs, product.getTransposeRhs());
  return b.create<MatmulOp>(product.getType(), left.numbers, right.numbers,
                            ValueRange{left.scales, right.scales},
                            b.getBuilder().getI64IntegerAttr(block),
                            !left.isSummedLast, right.isSummedLast,
                            product.getRole());
}
