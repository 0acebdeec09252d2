// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces matmul, softmax, matmul, with all that exporters put between them, by accel.attention.
//
//   matmul(q * a, k^T * b) -> * c, + mask, select(mask, .., -inf) -> softmax -> select(is_nan(.), 0, .) -> dropout -> matmul(.., v)
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/AttentionMask.h"
#include "passes/Import/ConstantValue.h"
#include "passes/Import/DeadCode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISEATTENTIONPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// Put on a softmax by a frontend whose file names the probability but has no operation for it.
constexpr llvm::StringLiteral kDropoutAttribute = "accel.attention_dropout";

struct AttentionMatch {
  MatmulOp root;
  SoftmaxOp softmax;
  MatmulOp scores;
  double scale = 1;
  double probability = 0;
  bool isSafe = false;
  SmallVector<MaskUse> masks;
  std::string reason; ///< why it is no attention, if it nearly is one
};

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Walks from the probabilities up to the softmax.
bool matchProbabilities(Value value, AttentionMatch &match) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
      match.softmax = softmax;
      if (auto probability = softmax->getAttrOfType<FloatAttr>(kDropoutAttribute)) {
        match.probability = probability.getValueAsDouble();
      }
      return true;
    }
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      match.probability = dropout.getProbability().convertToDouble();
      value = dropout.getOperand();
      continue;
    }
    auto guard = dyn_cast<SelectOp>(op);
    auto isNan = guard ? guard.getCondition().getDefiningOp<IsNanOp>() : IsNanOp();
    if (!isNan || isNan.getOperand() != guard.getOnFalse() || getSplat(guard.getOnTrue()) != 0.0) {
      return false;
    }
    match.isSafe = true;
    value = guard.getOnFalse();
  }
  return false;
}

bool matchScores(Value value, double scaleAfter, AttentionMatch &match);

/// The scores are one operand of `op`; `describe` makes the mask of the other.
template <typename Describe>
bool matchMasked(Operation *op, ArrayRef<unsigned> candidates, double scaleAfter, AttentionMatch &match, Describe describe) {
  for (unsigned i : candidates) {
    std::optional<MaskUse> use = describe(i);
    if (use && matchScores(op->getOperand(i), scaleAfter, match)) {
      use->scaleAfter = scaleAfter;
      match.masks.push_back(*use);
      return true;
    }
  }
  return false;
}

bool matchSelected(SelectOp select, double scaleAfter, AttentionMatch &match) {
  return matchMasked(select, {1, 2}, scaleAfter, match, [&](unsigned i) -> std::optional<MaskUse> {
    std::optional<double> fill = getSplat(select->getOperand(3 - i));
    if (!fill || *fill > -1e4) {
      return std::nullopt;
    }
    MaskUse use;
    use.value = select.getCondition();
    use.isSelection = true;
    use.isInverted = i == 2;
    use.fill = *fill;
    return use;
  });
}

/// Walks from the operand of the softmax up to the product of queries and keys.
bool matchScores(Value value, double scaleAfter, AttentionMatch &match) {
  Operation *op = value.getDefiningOp();
  if (auto product = dyn_cast_or_null<MatmulOp>(op)) {
    match.scores = product;
    match.scale *= scaleAfter;
    return true;
  }
  if (isa_and_nonnull<MulOp, DivOp>(op)) {
    for (unsigned i : {0u, 1u}) {
      std::optional<double> factor = getSplat(op->getOperand(1 - i));
      if (factor && (isa<MulOp>(op) || i == 0)) {
        return matchScores(op->getOperand(i), isa<MulOp>(op) ? scaleAfter * *factor : scaleAfter / *factor, match);
      }
    }
    return false;
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    return matchSelected(select, scaleAfter, match);
  }
  if (!isa_and_nonnull<AddOp>(op)) {
    return false;
  }
  return matchMasked(op, {0, 1}, scaleAfter, match, [&](unsigned i) -> std::optional<MaskUse> {
    MaskUse use;
    use.value = op->getOperand(1 - i);
    return use;
  });
}

/// `value` without multiplications by numbers, also under views, and their product in `scale`.
Value withoutScale(OpBuilder &builder, Value value, double &scale) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<MulOp, DivOp>(op)) {
    for (unsigned i : {0u, 1u}) {
      std::optional<double> factor = getSplat(op->getOperand(1 - i));
      if (factor && (isa<MulOp>(op) || i == 0)) {
        scale = isa<MulOp>(op) ? scale * *factor : scale / *factor;
        return withoutScale(builder, op->getOperand(i), scale);
      }
    }
  }
  if (isa_and_nonnull<TransposeOp, ReshapeOp>(op)) {
    Value inner = withoutScale(builder, op->getOperand(0), scale);
    if (inner != op->getOperand(0)) {
      IRMapping mapping;
      mapping.map(op->getOperand(0), inner);
      return builder.clone(*op, mapping)->getResult(0);
    }
  }
  return value;
}

/// `value` with its last two dimensions swapped.
Value swapLastTwo(OpBuilder &builder, Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(shape.end()[-1], shape.end()[-2]);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return TransposeOp::create(builder, value.getLoc(), type.clone(shape), value, permutation);
}

class RecogniseAttentionPass : public impl::RecogniseAttentionPassBase<RecogniseAttentionPass> {
public:
  using RecogniseAttentionPassBase::RecogniseAttentionPassBase;

  void runOnOperation() override {
    getOperation().walk([&](MatmulOp root) { recognise(root); });
    eraseDeadCode(getOperation());
    getOperation().walk([&](SoftmaxOp softmax) { insertDropout(softmax); });
  }

private:
  void recognise(MatmulOp root) {
    AttentionMatch match;
    match.root = root;
    auto options = remark::RemarkOpts::name("Attention").category("accel-recognise-attention");
    if (!matchProbabilities(root.getLhs(), match) || !matchScores(match.softmax.getOperand(), 1, match)) {
      if (match.softmax) {
        remark::missed(root.getLoc(), options) << remark::reason("the operand of the softmax is not a masked product");
      }
      return;
    }
    OpBuilder builder(root);
    FailureOr<AttentionMask> mask = failure();
    if (succeeded(verifyShape(match))) {
      mask = resolveMasks(builder, match.masks, typeOf(match.scores), match.isSafe, match.reason);
    }
    if (failed(mask)) {
      remark::missed(root.getLoc(), options) << remark::reason("{0}", match.reason);
      return;
    }
    double scale = build(builder, match, *mask);
    const char *kind = mask->operand ? (mask->causal ? "causal and a tensor" : "a tensor") : (mask->causal ? "causal" : "none");
    remark::passed(root.getLoc(), options) << remark::add("recognised attention, scale {0}, mask: {1}", scale, kind);
  }

  static LogicalResult verifyShape(AttentionMatch &match) {
    if (typeOf(match.scores).getRank() != 4) {
      match.reason = "its operands do not have four dimensions (batch, heads, positions, features)";
      return failure();
    }
    if (match.root.getTransposeLhs()) {
      match.reason = "its probabilities are transposed";
      return failure();
    }
    return success();
  }

  /// Replaces the root of `match` and returns the scale.
  double build(OpBuilder &builder, const AttentionMatch &match, const AttentionMask &mask) {
    MatmulOp root = match.root;
    MatmulOp scores = match.scores;
    Location loc = root.getLoc();
    double scale = match.scale;
    Value query = withoutScale(builder, scores.getLhs(), scale);
    Value key = withoutScale(builder, scores.getRhs(), scale);
    query = scores.getTransposeLhs() ? swapLastTwo(builder, query) : query;
    key = scores.getTransposeRhs() ? key : swapLastTwo(builder, key);
    Value value = root.getTransposeRhs() ? swapLastTwo(builder, root.getRhs()) : root.getRhs();
    Value samples, seed;
    if (match.probability > 0) {
      std::tie(samples, seed) = createRandomInputs(builder, loc, typeOf(query).getDimSize(0));
    }
    RankedTensorType lse = typeOf(query).clone(typeOf(query).getShape().drop_back());
    auto attention = AttentionOp::create(builder, loc, root.getType(), lse, query, key, value, mask.operand, samples, seed,
                                         builder.getF64FloatAttr(scale), mask.causal ? builder.getUnitAttr() : UnitAttr(),
                                         builder.getF64FloatAttr(match.probability),
                                         builder.getI64IntegerAttr(match.probability > 0 ? nextSite() : 0));
    root.getResult().replaceAllUsesWith(attention.getResult());
    return scale;
  }

  static std::pair<Value, Value> createRandomInputs(OpBuilder &builder, Location loc, int64_t samples) {
    Type i64 = builder.getI64Type();
    Value indices = InputOp::create(builder, loc, RankedTensorType::get({samples}, i64), "sample_indices");
    Value seed = InputOp::create(builder, loc, RankedTensorType::get({}, i64), "seed");
    return {indices, seed};
  }

  /// A site beyond all others, so that no two sites look alike until they are numbered again.
  int64_t nextSite() {
    if (sites == 0) {
      getOperation().walk([&](DropoutOp op) { sites = std::max(sites, int64_t(op.getSite())); });
      getOperation().walk([&](AttentionOp op) { sites = std::max(sites, int64_t(op.getSite())); });
    }
    return ++sites;
  }

  /// The dropout of a softmax that is not part of an attention.
  void insertDropout(SoftmaxOp softmax) {
    auto probability = dyn_cast_or_null<FloatAttr>(softmax->removeAttr(kDropoutAttribute));
    if (!probability || probability.getValueAsDouble() == 0) {
      return;
    }
    OpBuilder builder(softmax);
    builder.setInsertionPointAfter(softmax);
    auto batch = getOperation()->getAttrOfType<IntegerAttr>("accel.batch");
    int64_t samples = batch ? batch.getInt() : typeOf(softmax).getDimSize(0);
    auto [indices, seed] = createRandomInputs(builder, softmax.getLoc(), samples);
    auto dropout = DropoutOp::create(builder, softmax.getLoc(), softmax.getType(), softmax.getResult(), indices, seed,
                                     builder.getF64FloatAttr(probability.getValueAsDouble()),
                                     builder.getI64IntegerAttr(nextSite()));
    softmax.getResult().replaceAllUsesExcept(dropout.getResult(), dropout);
  }

  int64_t sites = 0;
};

} // namespace
} // namespace accel
