// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the binary cross entropy of probabilities the gradient of PyTorch's
// function.
//
// Exporters write out its values, (t - 1) max(log(1 - x), -100) - t max(log x,
// -100), whose own gradient is 0 / 0 where x is 0 or 1. PyTorch's is
// (x - t) / max((1 - x) x, 1e-12).
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/Interpreter/Evaluate.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISEBINARYCROSSENTROPYPASS
#include "passes/Import/Passes.h.inc"

namespace {

constexpr double kLeastLogarithm = -100, kLeastVariance = 1e-12;

/// The other operand of a sum or bound of which one is `number`; null if none
/// is.
template <typename OpTy> Value matchBesideNumber(Value value, double number) {
  auto op = value.getDefiningOp<OpTy>();
  for (unsigned i : {0u, 1u}) {
    if (op && isSplat(op->getOperand(i), number)) {
      return op->getOperand(1 - i);
    }
  }
  return {};
}

/// What `value` is the logarithm of, bounded as that function bounds it; null
/// if it is none.
Value matchBoundedLog(Value value) {
  Value bounded = matchBesideNumber<MaxOp>(value, kLeastLogarithm);
  auto log = bounded ? bounded.getDefiningOp<LogOp>() : LogOp();
  return log ? log.getOperand() : Value();
}

/// x, if `value` is 1 - x or -x + 1; null if it is neither.
Value matchComplement(Value value) {
  if (auto difference = value.getDefiningOp<SubOp>()) {
    return isSplat(difference.getLhs(), 1) ? difference.getRhs() : Value();
  }
  Value other = matchBesideNumber<AddOp>(value, 1);
  auto negation = other ? other.getDefiningOp<NegOp>() : NegOp();
  return negation ? negation.getOperand() : Value();
}

/// `factor` times the bounded logarithm of `argument`.
struct WeighedLog {
  Value factor; ///< null: `number`
  double number = 1;
  Value argument; ///< null: there is none
};

WeighedLog matchWeighedLog(Value value) {
  if (Value argument = matchBoundedLog(value)) {
    return {{}, 1, argument};
  }
  if (auto negation = value.getDefiningOp<NegOp>()) {
    return {{}, -1, matchBoundedLog(negation.getOperand())};
  }
  auto product = value.getDefiningOp<MulOp>();
  for (unsigned i : {0u, 1u}) {
    Value argument =
        product ? matchBoundedLog(product->getOperand(i)) : Value();
    if (argument) {
      Value factor = product->getOperand(1 - i);
      std::optional<double> number = getSplat(factor);
      return {number ? Value() : factor, number.value_or(1), argument};
    }
  }
  return {};
}

/// Whether every element of the constant `less` is one less than that of
/// `more`.
bool isOneLess(Value less, Value more) {
  std::optional<HostTensor> left = evaluateConstant(less);
  std::optional<HostTensor> right =
      left ? evaluateConstant(more) : std::nullopt;
  return right && llvm::all_of(llvm::zip_equal(left->floats(), right->floats()),
                               [](auto pair) {
                                 auto [one, other] = pair;
                                 return isClose(one, other - 1);
                               });
}

/// Whether `no` multiplies by t - 1 what `yes` multiplies by t.
bool areOfOneTarget(const WeighedLog &no, const WeighedLog &yes) {
  if (!no.factor || !yes.factor) {
    return !no.factor && !yes.factor && isClose(no.number, yes.number - 1);
  }
  auto less = no.factor.getDefiningOp<SubOp>();
  return less ? less.getLhs() == yes.factor && isSplat(less.getRhs(), 1)
              : isOneLess(no.factor, yes.factor);
}

/// The cross entropy of a probability.
struct CrossEntropy {
  Value probability; ///< null: it is none
  Value target;      ///< null: `number`
  double number = 0;
};

CrossEntropy matchCrossEntropy(SubOp difference) {
  WeighedLog no = matchWeighedLog(difference.getLhs());
  WeighedLog yes = matchWeighedLog(difference.getRhs());
  bool isOne = no.argument && yes.argument &&
               matchComplement(no.argument) == yes.argument &&
               areOfOneTarget(no, yes);
  return isOne ? CrossEntropy{yes.argument, yes.factor, yes.number}
               : CrossEntropy();
}

class RecogniseBinaryCrossEntropyPass
    : public impl::RecogniseBinaryCrossEntropyPassBase<
          RecogniseBinaryCrossEntropyPass> {
public:
  using RecogniseBinaryCrossEntropyPassBase::
      RecogniseBinaryCrossEntropyPassBase;

  void runOnOperation() override {
    getOperation().walk([](SubOp difference) {
      CrossEntropy loss = matchCrossEntropy(difference);
      if (loss.probability) {
        replace(difference, loss);
        remark::passed(difference.getLoc(),
                       remark::RemarkOpts::name("BinaryCrossEntropy")
                           .category("accel-recognise-binary-cross-entropy"))
            << remark::add("recognised the binary cross entropy of "
                           "probabilities");
      }
    });
    eraseDeadCode(getOperation());
  }

private:
  /// The values of the arithmetic have no gradient with respect to the
  /// probability any more; what is added is zero and has PyTorch's.
  static void replace(SubOp difference, const CrossEntropy &loss) {
    OpBuilder builder(difference);
    ArithmeticBuilder b(builder, difference.getLoc());
    Value x = loss.probability;
    Value fixed = b.create<StopGradientOp>(x);
    Value target = loss.target ? loss.target : b.constant(x, loss.number);
    Value complement = b.add(b.neg(fixed), 1);
    // One statement each: calls of one expression come in any order.
    auto weigh = [&](Value factor, Value value) {
      Value log = b.log(value);
      return b.mul(factor, b.max(log, b.constant(log, kLeastLogarithm)));
    };
    Value no = weigh(b.add(target, -1), complement);
    Value yes = weigh(target, fixed);
    Value values = b.sub(no, yes);
    Value variance = b.mul(complement, fixed);
    variance = b.max(variance, b.constant(variance, kLeastVariance));
    Value gradient = b.div(b.sub(fixed, target), variance);
    Value zero = b.sub(x, fixed);
    Value carrier = b.mul(zero, b.create<StopGradientOp>(gradient));
    difference.getResult().replaceAllUsesWith(b.add(values, carrier));
  }
};

} // namespace
} // namespace accel
