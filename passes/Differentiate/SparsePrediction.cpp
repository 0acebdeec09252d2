// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes logits of those rows only whose label is a class.
//
//   x * w -> reshape, + bias, ... -> softmax_cross_entropy(., labels)
//
// A row without a label has the loss 0 and sends no gradient, whatever its
// logits are. Its row of the product becomes zeros, which cost nothing; so do,
// in backward, its row of the gradient of x, and its part of that of w.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#include <algorithm>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_SPARSEPREDICTIONPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// A product, and what makes logits of it row by row.
struct Head {
  MatmulOp product;
  Value weights;                  ///< a matrix
  bool isTurned;                  ///< `weights` lies as (classes, inner)
  SmallVector<Operation *> chain; ///< behind the product, in order
};

/// Finds the head of a cross entropy: between product and loss there is
/// arithmetic that leaves rows apart.
class HeadFinder {
public:
  explicit HeadFinder(SoftmaxCrossEntropyOp loss)
      : loss(loss), classes(shapeOf(loss.getLogits())[1]) {}

  /// Emits an error if there is none.
  FailureOr<Head> find() {
    Head head;
    for (Value value = loss.getLogits();;) {
      Operation *op = value.getDefiningOp();
      if (!value.hasOneUse()) {
        return refuse("their logits are used by something else, too");
      }
      if (auto product = dyn_cast_if_present<MatmulOp>(op)) {
        head.product = product;
        std::reverse(head.chain.begin(), head.chain.end());
        return findWeights(head);
      }
      value = findBefore(op);
      if (!value) {
        return refuse("their logits are not a product of rows and a matrix, "
                      "with a bias, a scale or a bound behind it");
      }
      head.chain.push_back(op);
    }
  }

private:
  FailureOr<Head> refuse(const char *why) {
    return withCode(loss.emitError("--sparse-prediction: rows without a label "
                                   "cannot be left out, because "),
                    codes::SparsePrediction)
           << why << "; compile without --sparse-prediction";
  }

  /// The operand of `op` whose rows are those of its result; null if there is
  /// none, or more than one.
  Value findBefore(Operation *op) const {
    if (isa_and_present<ReshapeOp, TransposeOp>(op)) {
      return keepsRows(op) ? op->getOperand(0) : Value();
    }
    // Finite at zero, and so are their derivatives: what is not finite would
    // stay so when it is multiplied by the row's gradient, which is zero.
    if (!isa_and_present<AddOp, SubOp, MulOp, DivOp, NegOp, TanhOp, MinOp,
                         MaxOp, CastOp>(op) ||
        (isa<DivOp>(op) && !isRepeated(op->getOperand(1)))) {
      return {};
    }
    Value found;
    for (Value operand : op->getOperands()) {
      if (isRepeated(operand)) {
        continue;
      }
      if (found) {
        return {};
      }
      found = operand;
    }
    return found;
  }

  /// Whether a reshape or transpose moves whole rows of logits.
  bool keepsRows(Operation *op) const {
    if (isa<TransposeOp>(op)) {
      return keepsLastDimension(op);
    }
    ArrayRef<int64_t> before = shapeOf(op->getOperand(0));
    return !before.empty() && before.back() == classes &&
           shapeOf(op->getResult(0)).back() == classes;
  }

  /// A bias, a mask, a number: the same for every row, or not of the product.
  static bool isRepeated(Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_present<BroadcastOp, ConstantOp>(op);
  }

  FailureOr<Head> findWeights(Head head) {
    MatmulOp product = head.product;
    Value weights = product.getRhs();
    head.isTurned = product.getTransposeRhs();
    if (auto repeated = weights.getDefiningOp<BroadcastOp>()) {
      int64_t rank = shapeOf(weights).size();
      if (repeated.getDimensions() == ArrayRef<int64_t>{rank - 2, rank - 1}) {
        weights = repeated.getOperand();
      }
    }
    auto transpose = weights.getDefiningOp<TransposeOp>();
    if (transpose && shapeOf(weights).size() == 2) {
      weights = transpose.getOperand();
      head.isTurned = !head.isTurned;
    }
    bool isF32 = elementTypeOf(product.getLhs()).isF32() &&
                 elementTypeOf(product.getResult()).isF32();
    if (shapeOf(weights).size() != 2 || product.getTransposeLhs() || !isF32) {
      return refuse("their logits are not rows times one matrix of f32");
    }
    head.weights = weights;
    return head;
  }

  SoftmaxCrossEntropyOp loss;
  int64_t classes;
};

/// 0 where a label is a class: the row is multiplied by the only matrix; 1
/// elsewhere, which is none.
Value makeIndices(ArithmeticBuilder &b, SoftmaxCrossEntropyOp loss) {
  Value labels = loss.getLabels();
  Value isClass = b.isClass(labels, shapeOf(loss.getLogits())[1]);
  return b.select(isClass, b.constant(labels, 0.0), b.constant(labels, 1.0));
}

/// Indices of the rows in front of `op`, of those behind it.
Value moveInFront(ArithmeticBuilder &b, Value indices, Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose) {
    return indices;
  }
  Value behind = b.reshape(indices, shapeOf(transpose.getResult()).drop_back());
  return b.create<TransposeOp>(
      behind, invertPermutationVector(transpose.getPermutation().drop_back()));
}

void replace(SoftmaxCrossEntropyOp loss, const Head &head) {
  OpBuilder builder(loss);
  MatmulOp product = head.product;
  ArithmeticBuilder b(builder, product.getLoc());
  auto type = cast<RankedTensorType>(product.getResult().getType());
  int64_t columns = type.getShape().back();
  int64_t rows = type.getNumElements() / columns;
  Value indices = makeIndices(b, loss);
  for (Operation *op : llvm::reverse(head.chain)) {
    indices = moveInFront(b, indices, op);
  }
  Value left =
      b.reshape(product.getLhs(), {rows, shapeOf(product.getLhs()).back()});
  Value sparse = GroupedMatmulOp::create(
      builder, product.getLoc(), type.clone({rows, columns}), left,
      head.weights, b.reshape(indices, {rows}), head.isTurned,
      ProductRole::Forward, /*skip_others=*/true);
  product.getResult().replaceAllUsesWith(b.reshape(sparse, type.getShape()));
  // Labels may be made behind the product.
  for (Operation *op : head.chain) {
    op->moveBefore(loss);
  }
  product.erase();
  remark::passed(loss.getLoc(), remark::RemarkOpts::name("SparsePrediction")
                                    .category("accel-sparse-prediction"))
      << remark::add("logits of {0} classes are computed for those of {1} rows "
                     "that have a label",
                     columns, rows);
}

class SparsePredictionPass
    : public impl::SparsePredictionPassBase<SparsePredictionPass> {
public:
  using SparsePredictionPassBase::SparsePredictionPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>("microbatch");
    if (!function) {
      module.emitError("expected a function @microbatch, got none");
      return signalPassFailure();
    }
    // Outputs that are not trained use the logits, too.
    eraseDeadCode(function);
    SmallVector<SoftmaxCrossEntropyOp> losses;
    function.walk([&](SoftmaxCrossEntropyOp loss) { losses.push_back(loss); });
    if (losses.empty()) {
      withCode(
          function.emitError("--sparse-prediction: expected a loss that is "
                             "a cross entropy of labels, got another one"),
          codes::SparsePrediction);
      return signalPassFailure();
    }
    for (SoftmaxCrossEntropyOp loss : losses) {
      FailureOr<Head> head = HeadFinder(loss).find();
      if (failed(head)) {
        return signalPassFailure();
      }
      replace(loss, *head);
    }
  }
};

} // namespace
} // namespace accel
