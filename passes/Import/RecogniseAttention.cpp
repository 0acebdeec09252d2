// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces matmul, softmax, matmul, with all that exporters put between them,
// by accel.attention.
//
//   matmul(q * a, k^T * b) -> * c, / d, tanh, * d, + mask, + bias,
//   select(mask, .., -inf) -> softmax -> select(is_nan(.), 0, .) -> dropout ->
//   matmul(.., v)
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Analysis/NumberText.h"
#include "passes/Import/AttentionMatch.h"
#include "passes/Import/ConstantValue.h"
#include "passes/Import/RandomInputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

#include <limits>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISEATTENTIONPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// `value` without multiplications by numbers, also under views, and their
/// product in `scale`.
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
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(shape.end()[-1], shape.end()[-2]);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return TransposeOp::create(builder, value.getLoc(), type.clone(shape), value,
                             permutation);
}

class RecogniseAttentionPass
    : public impl::RecogniseAttentionPassBase<RecogniseAttentionPass> {
public:
  using RecogniseAttentionPassBase::RecogniseAttentionPassBase;

  void runOnOperation() override {
    getOperation().walk([&](AttentionOp attention) { judgeMask(attention); });
    getOperation().walk([&](MatmulOp root) { recognise(root); });
    eraseDeadCode(getOperation());
    getOperation().walk([&](SoftmaxOp softmax) { insertDropout(softmax); });
  }

private:
  void recognise(MatmulOp root) {
    auto options = remark::RemarkOpts::name("Attention")
                       .category("accel-recognise-attention");
    AttentionMatch match;
    match.root = root;
    if (!matchAttention(match)) {
      if (match.softmax) {
        remark::missed(root.getLoc(), options) << remark::reason(
            "the operand of the softmax is not a masked product");
      }
      return;
    }
    OpBuilder builder(root);
    std::string reason = explainShape(match);
    FailureOr<AttentionMask> mask = failure();
    if (reason.empty()) {
      mask = resolveMasks(builder, match.masks, typeOf(match.scores), reason);
    }
    if (failed(mask)) {
      remark::missed(root.getLoc(), options) << remark::reason("{0}", reason);
      return;
    }
    double scale = build(builder, match, *mask);
    std::string bound =
        match.softcap == 0 ? "" : ", softcap " + toText(match.softcap);
    remark::passed(root.getLoc(), options)
        << remark::add("recognised attention, scale {0}{1}, mask: {2}",
                       toText(scale), bound, nameKind(*mask));
  }

  static std::string nameKind(const AttentionMask &mask) {
    SmallVector<StringRef> parts;
    for (auto [has, name] : {std::pair(mask.causal, "causal"),
                             std::pair(bool(mask.operand), "a tensor"),
                             std::pair(bool(mask.bias), "a bias")}) {
      if (has) {
        parts.push_back(name);
      }
    }
    return parts.empty() ? "none" : llvm::join(parts, " and ");
  }

  static bool isSame(Value left, Value right) {
    auto constant = left ? left.getDefiningOp<ConstantOp>() : ConstantOp();
    auto other = right.getDefiningOp<ConstantOp>();
    return left == right ||
           (constant && other && constant.getValue() == other.getValue());
  }

  /// The mask of an attention that the file had as one operation.
  static void judgeMask(AttentionOp attention) {
    if (!attention.getMask()) {
      return;
    }
    MaskUse use;
    use.value = attention.getMask();
    use.isSelection = typeOf(use.value).getElementType().isInteger(1);
    use.fill = -std::numeric_limits<double>::infinity();
    RankedTensorType query = typeOf(attention.getQuery());
    SmallVector<int64_t> scores(query.getShape());
    scores.back() = typeOf(attention.getKey()).getDimSize(2);
    OpBuilder builder(attention);
    std::string reason;
    FailureOr<AttentionMask> mask =
        resolveMasks(builder, use, query.clone(scores), reason);
    if (failed(mask) || attention.getBias() ||
        (!mask->bias && isSame(mask->operand, use.value))) {
      return;
    }
    mask->causal |= attention.getCausal();
    attention.setCausal(mask->causal);
    attention.getMaskMutable().assign(mask->operand ? ValueRange(mask->operand)
                                                    : ValueRange());
    attention.getBiasMutable().assign(mask->bias ? ValueRange(mask->bias)
                                                 : ValueRange());
    remark::passed(attention.getLoc(),
                   remark::RemarkOpts::name("Attention")
                       .category("accel-recognise-attention"))
        << remark::add("judged the mask of attention: {0}", nameKind(*mask));
  }

  /// Why the operands of `match` are not those of accel.attention; empty if
  /// they are.
  static std::string explainShape(const AttentionMatch &match) {
    MatmulOp root = match.root;
    MatmulOp scores = match.scores;
    if (typeOf(scores).getRank() != 4) {
      return "its operands do not have four dimensions (batch, heads, "
             "positions, features)";
    }
    if (!isa<Float32Type, BFloat16Type, Float16Type>(
            typeOf(scores).getElementType())) {
      return "its scores are doubles, which no kernel attends with";
    }
    return root.getTransposeLhs() ? "its probabilities are transposed" : "";
  }

  /// Replaces the root of `match` and returns the scale.
  double build(OpBuilder &builder, const AttentionMatch &match,
               const AttentionMask &mask) {
    MatmulOp root = match.root;
    MatmulOp scores = match.scores;
    Location loc = root.getLoc();
    double scale = match.scale;
    Value query = withoutScale(builder, scores.getLhs(), scale);
    Value key = withoutScale(builder, scores.getRhs(), scale);
    query = scores.getTransposeLhs() ? swapLastTwo(builder, query) : query;
    key = scores.getTransposeRhs() ? key : swapLastTwo(builder, key);
    Value value = root.getTransposeRhs() ? swapLastTwo(builder, root.getRhs())
                                         : root.getRhs();
    Value samples, seed;
    if (match.probability > 0) {
      std::tie(samples, seed) =
          createRandomInputs(builder, loc, typeOf(query).getDimSize(0));
    }
    RankedTensorType lse =
        typeOf(query).clone(typeOf(query).getShape().drop_back());
    Value added = mask.operand, bias = mask.bias;
    if (lse.getElementTypeBitWidth() == 16) {
      // What lies between operands and results of 16 bits is f32.
      lse = lse.clone(builder.getF32Type());
      for (Value *each : {&added, &bias}) {
        if (*each && isa<FloatType>(typeOf(*each).getElementType())) {
          *each = CastOp::create(
              builder, loc, typeOf(*each).clone(builder.getF32Type()), *each);
        }
      }
    }
    auto attention = AttentionOp::create(
        builder, loc, root.getType(), lse, query, key, value, added, bias,
        samples, seed, /*site_offset=*/Value(), builder.getF64FloatAttr(scale),
        builder.getF64FloatAttr(match.softcap),
        mask.causal ? builder.getUnitAttr() : UnitAttr(),
        builder.getF64FloatAttr(match.probability),
        builder.getI64IntegerAttr(match.probability > 0 ? nextSite() : 0));
    root.getResult().replaceAllUsesWith(attention.getResult());
    return scale;
  }

  /// A site beyond all others, so that no two sites look alike until they are
  /// numbered again.
  int64_t nextSite() {
    if (sites == 0) {
      getOperation().walk([&](DropoutOp op) {
        sites = std::max(sites, int64_t(op.getSite()));
      });
      getOperation().walk([&](AttentionOp op) {
        sites = std::max(sites, int64_t(op.getSite()));
      });
    }
    return ++sites;
  }

  /// The dropout of a softmax that is not part of an attention.
  void insertDropout(SoftmaxOp softmax) {
    auto probability =
        dyn_cast_or_null<FloatAttr>(softmax->removeAttr(kDropoutAttribute));
    if (!probability || probability.getValueAsDouble() == 0) {
      return;
    }
    OpBuilder builder(softmax);
    builder.setInsertionPointAfter(softmax);
    auto batch = getOperation()->getAttrOfType<IntegerAttr>("accel.batch");
    int64_t samples = batch ? batch.getInt() : typeOf(softmax).getDimSize(0);
    auto [indices, seed] =
        createRandomInputs(builder, softmax.getLoc(), samples);
    auto dropout = DropoutOp::create(
        builder, softmax.getLoc(), softmax.getType(), softmax.getResult(),
        indices, seed, builder.getF64FloatAttr(probability.getValueAsDouble()),
        builder.getI64IntegerAttr(nextSite()), /*site_offset=*/Value(),
        /*factor=*/RandomFactorAttr());
    softmax.getResult().replaceAllUsesExcept(dropout.getResult(), dropout);
  }

  int64_t sites = 0;
};

} // namespace
} // namespace accel
