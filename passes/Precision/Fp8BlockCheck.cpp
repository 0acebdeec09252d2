// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a cast back to the blocks, and from a scale back to their magnitudes.
// The numbers of the rules are written out: nothing is shared with who uses
// them.
#include "passes/Precision/Fp8BlockCheck.h"

#include "passes/Precision/Fp8ScaleCheck.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

static ArrayRef<int64_t> shapeOfValue(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether `inverses`, powers of two, are made for the largest magnitudes of
/// the rows of `blocks`.
static bool areMadeFor(CastOp inverses, Value blocks, Type element) {
  auto bounded = inverses.getOperand().getDefiningOp<MaxOp>();
  auto exact = bounded ? bounded.getLhs().getDefiningOp<DivOp>() : DivOp();
  if (!exact || !isConstant(bounded.getRhs(), 0x1p-110) ||
      !isConstant(exact.getRhs(), largestOf(element))) {
    return false;
  }
  auto amax = exact.getLhs().getDefiningOp<ReduceMaxOp>();
  auto magnitude = amax ? amax.getOperand().getDefiningOp<AbsOp>() : AbsOp();
  auto last = static_cast<int64_t>(shapeOfValue(blocks).size()) - 1;
  return magnitude && magnitude.getOperand() == blocks &&
         amax.getAxes() == ArrayRef<int64_t>{last};
}

/// Whether `scaled` multiplies the rows of its left side by 1 over `inverses`.
static bool undoes(CastOp inverses, MulOp scaled) {
  auto repeated = scaled.getRhs().getDefiningOp<BroadcastOp>();
  if (!repeated) {
    return false;
  }
  auto quotient = repeated.getOperand().getDefiningOp<DivOp>();
  auto wide = quotient ? quotient.getRhs().getDefiningOp<CastOp>() : CastOp();
  return wide && isConstant(quotient.getLhs(), 1) &&
         wide.getOperand() == inverses.getResult();
}

/// Whether `slice` takes the first elements along each dimension.
static bool takesFirst(SliceOp slice) {
  return llvm::all_of(slice.getOffsets(),
                      [](int64_t offset) { return offset == 0; }) &&
         llvm::all_of(slice.getStrides(),
                      [](int64_t stride) { return stride == 1; });
}

/// The cast that made blocks of `block`, which `operand` has one behind the
/// other along its last dimension; null if it has others.
static CastOp findBlocks(Value operand, int64_t block) {
  if (auto first = operand.getDefiningOp<SliceOp>();
      first && takesFirst(first)) {
    operand = first.getOperand();
  }
  auto rows = operand.getDefiningOp<ReshapeOp>();
  auto numbers = rows ? rows.getOperand().getDefiningOp<CastOp>() : CastOp();
  if (!numbers) {
    return {};
  }
  ArrayRef<int64_t> shape = shapeOfValue(numbers);
  ArrayRef<int64_t> merged = shapeOfValue(operand);
  bool isMerged = shape.size() == merged.size() + 1 && shape.back() == block &&
                  shape.drop_back(2) == merged.drop_back() &&
                  shape.drop_back().back() * block == merged.back();
  return isMerged ? numbers : CastOp();
}

/// Of what a microbatch computes: the scales lie as the blocks do.
static bool areScalesOfCast(Value scales, Value operand, int64_t block) {
  CastOp numbers = findBlocks(operand, block);
  auto inverses = scales.getDefiningOp<CastOp>();
  auto scaled = numbers ? numbers.getOperand().getDefiningOp<MulOp>() : MulOp();
  return inverses && scaled && undoes(inverses, scaled) &&
         areMadeFor(inverses, scaled.getLhs(),
                    numbers.getType().getElementType());
}

/// Whether both views pick the same elements of equally large tensors.
static bool areEqualViews(Value a, Value b) {
  return shapeOfValue(a) == shapeOfValue(b) &&
         cast<OpResult>(a).getResultNumber() ==
             cast<OpResult>(b).getResultNumber() &&
         a.getDefiningOp()->getName() == b.getDefiningOp()->getName() &&
         a.getDefiningOp()->getAttrDictionary() ==
             b.getDefiningOp()->getAttrDictionary() &&
         shapeOfValue(a.getDefiningOp()->getOperand(0)) ==
             shapeOfValue(b.getDefiningOp()->getOperand(0));
}

/// The parameter's elements of the state of inverses, one for each square, that
/// `value` repeats for every element of the parameter; null if it does not.
static ReadOp findSquares(Value value, ParameterOp parameter, int64_t block) {
  if (auto first = value.getDefiningOp<SliceOp>(); first && takesFirst(first)) {
    value = first.getOperand();
  }
  auto elements = value.getDefiningOp<ReshapeOp>();
  auto repeated = elements ? elements.getOperand().getDefiningOp<BroadcastOp>()
                           : BroadcastOp();
  auto squares =
      repeated ? repeated.getOperand().getDefiningOp<ReshapeOp>() : ReshapeOp();
  auto narrow =
      squares ? squares.getOperand().getDefiningOp<CastOp>() : CastOp();
  auto own = narrow ? narrow.getOperand().getDefiningOp<SliceOp>() : SliceOp();
  if (!own || repeated.getDimensions() != ArrayRef<int64_t>{0, 2} ||
      own.getStrides().front() != 1 ||
      own.getOffsets().front() !=
          static_cast<int64_t>(parameter.getScale().value_or(-1))) {
    return {};
  }
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(parameter.getType()).getShape();
  auto blocks = [&](int64_t size) -> int64_t {
    return llvm::divideCeil(size, block);
  };
  SmallVector<int64_t> expected{blocks(shape[0]), block, blocks(shape[1]),
                                block};
  return shapeOfValue(repeated) == ArrayRef<int64_t>(expected)
             ? own.getOperand().getDefiningOp<ReadOp>()
             : ReadOp();
}

/// Scales are viewed as the parameter is; then each block, along dimension
/// `summed`, keeps its first one.
static bool areScalesOfParameter(Value scales, Value operand, int64_t summed,
                                 int64_t block) {
  SmallVector<int64_t> strides{1, 1};
  strides[summed] = block;
  auto firsts = scales.getDefiningOp<SliceOp>();
  if (!firsts || firsts.getStrides() != ArrayRef<int64_t>(strides) ||
      llvm::any_of(firsts.getOffsets(),
                   [](int64_t offset) { return offset != 0; })) {
    return false;
  }
  Value repeated = firsts.getOperand();
  while (!operand.getDefiningOp<ReadOp>()) {
    if (!repeated.getDefiningOp() || !areEqualViews(operand, repeated)) {
      return false;
    }
    operand = operand.getDefiningOp()->getOperand(0);
    repeated = repeated.getDefiningOp()->getOperand(0);
  }
  auto read = operand.getDefiningOp<ReadOp>();
  auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
      read, read.getSymbolAttr());
  ReadOp squares =
      parameter ? findSquares(repeated, parameter, block) : ReadOp();
  return squares && squares.getSymbol() == "weight_inverse";
}

bool accel::areScalesOf(MatmulOp product, unsigned index, int64_t block) {
  Value operand = product->getOperand(index);
  Value scales = product.getScales()[index];
  bool isSummedLast =
      index == 0 ? !product.getTransposeLhs() : product.getTransposeRhs();
  if (isa_and_nonnull<ReadOp>(findStored(operand))) {
    return areScalesOfParameter(scales, operand, isSummedLast ? 1 : 0, block);
  }
  return isSummedLast && areScalesOfCast(scales, operand, block);
}
