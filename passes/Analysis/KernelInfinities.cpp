// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each operation makes of infinities. Where the answer depends on numbers,
// it is that there may be one: a fault that is then not seen here is seen one
// instruction later, as a NaN.
#include "passes/Analysis/Infinities.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

namespace {

constexpr Infinities kBoth = {true, true, false};

/// What `value` repeats under another shape.
Value getRepeated(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return value;
}

/// Whether a softmax subtracts the maximum of its row there: where that is
/// infinite the difference is NaN, and elsewhere it is 0 in some column.
bool subtractsMaximum(SubOp op) {
  auto most = getRepeated(op.getRhs()).getDefiningOp<ReduceMaxOp>();
  return most && most.getOperand() == op.getLhs();
}

/// The number in every element of `value`, if it is a constant one.
std::optional<double> splatOf(Value value) {
  auto constant = getRepeated(value).getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                        : DenseFPElementsAttr();
  return dense && dense.isSplat()
             ? std::optional(dense.getSplatValue<APFloat>().convertToDouble())
             : std::nullopt;
}

/// Follows one kernel.
class KernelFlow {
public:
  using Values = llvm::DenseMap<Value, Infinities>;

  explicit KernelFlow(Values &values) : values(values) {}

  Infinities of(Value value) const { return values.lookup(value); }

  /// What the first result may hold; others are said below.
  Infinities follow(Operation *op) const;

private:
  Infinities join(ValueRange operands) const {
    Infinities all;
    for (Value operand : operands) {
      all = all | of(operand);
    }
    return all;
  }
  /// A factor that is not constant may be of either sign.
  Infinities scale(Value value, Value factor) const {
    Infinities of = this->of(value);
    std::optional<double> number = splatOf(factor);
    Infinities any = of.any() ? kBoth : Infinities();
    any.zero = of.zero;
    return !number ? any : *number < 0 ? of.negated() : of;
  }
  Infinities subtract(SubOp op) const {
    return subtractsMaximum(op)
               ? Infinities{of(op.getLhs()).negative, false, false}
               : of(op.getLhs()) | of(op.getRhs()).negated();
  }
  /// The exponentials of a softmax are not all 0.
  Infinities sum(ReduceSumOp op) const {
    Infinities sum = of(op.getOperand());
    auto exponential = op.getOperand().getDefiningOp<ExpOp>();
    auto shifted =
        exponential ? exponential.getOperand().getDefiningOp<SubOp>() : SubOp();
    sum.zero = sum.zero && !(shifted && subtractsMaximum(shifted));
    return sum;
  }
  Infinities multiply(MulOp op) const {
    return scale(op.getLhs(), op.getRhs()) | scale(op.getRhs(), op.getLhs());
  }
  Infinities divide(DivOp op) const {
    Infinities quotient = scale(op.getLhs(), op.getRhs());
    return of(op.getRhs()).zero ? quotient | kBoth : quotient;
  }
  static Infinities invertRoot(Infinities x) {
    return {false, x.zero, x.positive};
  }
  static Infinities largest(Infinities a, Infinities b) {
    return {a.negative && b.negative, a.positive || b.positive,
            a.zero || b.zero};
  }

  Values &values;
};

Infinities KernelFlow::follow(Operation *op) const {
  auto operand = [&] { return of(op->getOperand(0)); };
  return llvm::TypeSwitch<Operation *, Infinities>(op)
      .Case([](ConstantOp each) { return getInfinities(each.getValue()); })
      .Case([&](SelectOp each) {
        return of(each.getOnTrue()) | of(each.getOnFalse());
      })
      .Case([&](SubOp each) { return subtract(each); })
      .Case([&](ReduceSumOp each) { return sum(each); })
      .Case([&](MulOp each) { return multiply(each); })
      .Case([&](DivOp each) { return divide(each); })
      .Case([&](NegOp) { return operand().negated(); })
      .Case([&](AbsOp) {
        return Infinities{false, operand().any(), operand().zero};
      })
      .Case([&](MaxOp each) {
        return largest(of(each.getLhs()), of(each.getRhs()));
      })
      .Case([&](MinOp each) {
        return largest(of(each.getLhs()).negated(), of(each.getRhs()).negated())
            .negated();
      })
      .Case([&](ExpOp) {
        return Infinities{false, operand().positive, operand().negative};
      })
      .Case([&](LogOp) {
        return Infinities{operand().zero, operand().positive, false};
      })
      .Case([&](ReluOp) {
        return Infinities{false, operand().positive,
                          operand().zero || operand().negative};
      })
      .Case([&](RsqrtOp) { return invertRoot(operand()); })
      .Case([&](SigmoidOp) {
        return Infinities{false, false, operand().negative};
      })
      .Case([&](PowOp each) {
        return join(each->getOperands()).any() || operand().zero ? kBoth
                                                                 : Infinities();
      })
      .Case([&](AttentionOp) { return Infinities(); })
      .Case([](BitcastOp) { return Infinities{true, true, true}; })
      // Bounded, or NaN where an operand is infinite: an infinity in a sum of
      // products meets its gradient, or a zero.
      .Case<TanhOp, ErfOp, SinOp, CosOp, MatmulOp, GroupedMatmulOp,
            GroupedOuterOp, AttentionGradOp, LayerNormOp, RandomNormalOp,
            QuantizeOp, IotaOp>([](auto) { return Infinities(); })
      .Case<SoftmaxOp>(
          [&](auto) { return Infinities{false, false, operand().negative}; })
      .Default([&](Operation *other) { return join(other->getOperands()); });
}

/// The logarithm of the sum of a row that a mask hides altogether.
Infinities ofMaskedRows(AttentionOp op) {
  return {/*negative=*/op.getMask() || op.getBias(), false, false};
}

} // namespace

Infinities accel::getInfinities(ElementsAttr constant) {
  auto dense = dyn_cast<DenseFPElementsAttr>(constant);
  Infinities all;
  auto add = [&](const APFloat &number) {
    all.negative |= number.isInfinity() && number.isNegative();
    all.positive |= number.isInfinity() && !number.isNegative();
  };
  if (dense && dense.isSplat()) {
    add(dense.getSplatValue<APFloat>());
  } else if (dense) {
    llvm::for_each(dense.getValues<APFloat>(), add);
  }
  return all;
}

SmallVector<Infinities> accel::findInfinities(func::FuncOp kernel,
                                              ArrayRef<Infinities> arguments) {
  KernelFlow::Values values;
  for (auto [argument, infinities] :
       llvm::zip_first(kernel.getArguments(), arguments)) {
    values[argument] = infinities;
  }
  KernelFlow flow(values);
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator()) {
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && isa<FloatType>(type.getElementType())) {
        auto attention = dyn_cast<AttentionOp>(op);
        values[result] = attention && result == attention.getLse()
                             ? ofMaskedRows(attention)
                             : flow.follow(&op);
      }
    }
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return flow.of(value); });
}
