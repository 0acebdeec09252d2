// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the arithmetic of a layer norm by accel.layer_norm.
//
//   mean = sum(x) / c        deviation = x - mean        variance =
//   sum(deviation^2) / c y = deviation / sqrt(variance + epsilon) * scale +
//   bias
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Analysis/NumberText.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISELAYERNORMPASS
#include "passes/Import/Passes.h.inc"

namespace {

struct LayerNormMatch {
  Value operand;
  Value scale;
  Value bias; ///< null if there is none
  double epsilon = 0;
  Operation *root = nullptr;
};

/// The row that `value` repeats along all but the last of its dimensions; null
/// if it does not.
Value getRepeatedRow(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || typeOf(value).getRank() == 0) {
    return Value();
  }
  Value row = skipViews(broadcast.getOperand());
  RankedTensorType from = typeOf(broadcast.getOperand());
  int64_t rank = typeOf(value).getRank();
  int64_t columns = typeOf(value).getShape().back();
  // Rank 0 repeats a number, and a last size of 1 a column.
  bool isRow = from.getRank() > 0 && from.getShape().back() == columns &&
               from.getNumElements() == columns &&
               typeOf(row).getShape() == ArrayRef<int64_t>{columns} &&
               broadcast.getDimensions().back() == rank - 1;
  return isRow ? row : Value();
}

/// The value, one number per row, that `value` repeats along its last dimension
/// (reshapes on the way are looked through); `value` itself if it is no such
/// repetition.
Value getRepeatedColumn(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast) {
    return value;
  }
  RankedTensorType to = typeOf(value);
  RankedTensorType from = typeOf(broadcast.getOperand());
  int64_t last = to.getRank() - 1;
  bool isLeading = llvm::equal(broadcast.getDimensions(),
                               llvm::seq<int64_t>(0, from.getRank()));
  bool isColumn =
      isLeading &&
      from.getShape().take_front(last) == to.getShape().drop_back() &&
      (from.getRank() == last || from.getDimSize(last) == 1);
  return isColumn ? broadcast.getOperand() : value;
}

Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getOperand();
  }
  return value;
}

/// The operand that `op` has beside a splat; null if it has no splat. The splat
/// is returned in `number`.
Value getOtherThanSplat(Operation *op, double &number) {
  for (int i : {1, 0}) {
    if (std::optional<double> splat = getSplat(op->getOperand(i))) {
      number = *splat;
      return op->getOperand(1 - i);
    }
  }
  return Value();
}

/// The value whose mean over the last dimension `value` is; null if it is none.
Value matchMean(Value value) {
  Operation *op = skipReshapes(getRepeatedColumn(value)).getDefiningOp();
  if (!isa_and_nonnull<MulOp, DivOp>(op)) {
    return Value();
  }
  double factor = 0;
  Value other = getOtherThanSplat(op, factor);
  if (!other || (isa<DivOp>(op) && other != op->getOperand(0))) {
    return Value();
  }
  auto sum = skipReshapes(other).getDefiningOp<ReduceSumOp>();
  if (!sum) {
    return Value();
  }
  RankedTensorType type = typeOf(sum.getOperand());
  int64_t last = type.getRank() - 1;
  double count = type.getDimSize(last);
  bool isMean = isClose(factor, isa<MulOp>(op) ? 1 / count : count);
  return sum.getAxes() == ArrayRef<int64_t>{last} && isMean ? sum.getOperand()
                                                            : Value();
}

/// Whether `square` is `base` squared.
bool isSquareOf(Value square, Value base) {
  Operation *op = square.getDefiningOp();
  if (isa_and_nonnull<MulOp>(op)) {
    return op->getOperand(0) == base && op->getOperand(1) == base;
  }
  return isa_and_nonnull<PowOp>(op) && op->getOperand(0) == base &&
         isSplat(op->getOperand(1), 2);
}

/// Whether `value` (under the root) is variance of `deviation` plus a number,
/// which is returned in `epsilon`.
bool isVariancePlusEpsilon(Value value, Value deviation, double &epsilon) {
  auto sum = skipReshapes(value).getDefiningOp<AddOp>();
  Value variance = sum ? getOtherThanSplat(sum, epsilon) : Value();
  Value square = variance ? matchMean(variance) : Value();
  return square && isSquareOf(square, deviation);
}

/// Matches deviation / sqrt(variance + epsilon) in its forms and fills in
/// operand and epsilon.
bool matchNormalised(Value value, LayerNormMatch &match) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<MulOp, DivOp>(op)) {
    return false;
  }
  for (int i : {0, 1}) {
    Value deviation = op->getOperand(i);
    auto subtraction = deviation.getDefiningOp<SubOp>();
    if (!subtraction ||
        matchMean(subtraction.getRhs()) != subtraction.getLhs()) {
      continue;
    }
    Operation *factor =
        skipReshapes(getRepeatedColumn(op->getOperand(1 - i))).getDefiningOp();
    bool isQuotient = isa<DivOp>(op);
    if (!isQuotient && isa_and_nonnull<DivOp>(factor) &&
        isSplat(factor->getOperand(0), 1)) {
      factor = factor->getOperand(1).getDefiningOp();
      isQuotient = true;
    }
    bool isRoot = isQuotient ? (isa_and_nonnull<SqrtOp>(factor) &&
                                (i == 0 || isa<MulOp>(op)))
                             : isa_and_nonnull<RsqrtOp>(factor);
    if (isRoot && isVariancePlusEpsilon(factor->getOperand(0), deviation,
                                        match.epsilon)) {
      match.operand = subtraction.getLhs();
      return true;
    }
  }
  return false;
}

/// Matches normalised * scale.
bool matchScaled(Value value, LayerNormMatch &match) {
  auto product = value.getDefiningOp<MulOp>();
  for (int i = 0; product && i < 2; ++i) {
    match.scale = getRepeatedRow(product->getOperand(i));
    if (match.scale && matchNormalised(product->getOperand(1 - i), match)) {
      match.root = product;
      return true;
    }
  }
  return false;
}

/// Matches a whole layer norm that ends in `op`: with bias if `op` is the sum,
/// without if it is the product.
bool matchLayerNorm(Operation *op, LayerNormMatch &match) {
  if (isa<MulOp>(op)) {
    return matchScaled(op->getResult(0), match);
  }
  for (int i : {0, 1}) {
    match.bias = getRepeatedRow(op->getOperand(i));
    if (match.bias && matchScaled(op->getOperand(1 - i), match)) {
      match.root = op;
      return true;
    }
  }
  return false;
}

class RecogniseLayerNormPass
    : public impl::RecogniseLayerNormPassBase<RecogniseLayerNormPass> {
public:
  using RecogniseLayerNormPassBase::RecogniseLayerNormPassBase;

  void runOnOperation() override {
    // Sums first: what a sum makes of a product is the larger match.
    recognise<AddOp>();
    recognise<MulOp>();
  }

private:
  template <typename RootOp> void recognise() {
    // Each is replaced before the next is read, whose operand it may be.
    getOperation().walk([&](RootOp op) {
      LayerNormMatch match;
      if (matchLayerNorm(op, match)) {
        apply(match);
      }
    });
    eraseDeadCode(getOperation());
  }

  static void apply(const LayerNormMatch &match) {
    OpBuilder builder(match.root);
    RankedTensorType type = typeOf(match.operand);
    auto rows = RankedTensorType::get(type.getShape().drop_back(),
                                      type.getElementType());
    auto norm = LayerNormOp::create(
        builder, match.root->getLoc(), type, rows, rows, match.operand,
        match.scale, match.bias, builder.getF64FloatAttr(match.epsilon));
    match.root->getResult(0).replaceAllUsesWith(norm.getResult());
    remark::passed(match.root->getLoc(),
                   remark::RemarkOpts::name("LayerNorm")
                       .category("accel-recognise-layer-norm"))
        << remark::add("recognised layer norm, epsilon {0}",
                       toText(match.epsilon));
  }
};

} // namespace
} // namespace accel
